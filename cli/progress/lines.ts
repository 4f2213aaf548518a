import type { Progress } from '../../domain/run.ts';
import { charactersOf, displayWidth, printable } from '../formats/width.ts';

const PHASES: Record<Progress['phase'], string> = {
  starting: 'starting',
  thinking: 'thinking',
  delegating: 'waiting for subagents',
  reading: 'reading',
  grounding: 'checking sources',
  done: 'done',
};

const amount = (n: number, unit: string): string =>
  `${n} ${unit}${n === 1 ? '' : unit.endsWith('ch') ? 'es' : 's'}`;
const thousands = (n: number): string => (n < 10_000 ? String(n) : `${Math.round(n / 1000)}k`);

/** One line about a whole run. */
export const summaryLine = ({ phase, turn, maxTurns, agents, usage, rowsSoFar }: Progress): string => {
  const tokens = usage.promptTokens + usage.completionTokens;
  return [
    PHASES[phase],
    `turn ${turn}/${maxTurns}`,
    amount(agents.length, 'agent'),
    amount(usage.searches, 'search'),
    amount(usage.pagesRead, 'page'),
    ...(tokens > 0 ? [`${thousands(tokens)} tokens`] : []),
    ...(usage.microUsd > 0 ? [`$${(usage.microUsd / 1e6).toFixed(2)}`] : []),
    amount(rowsSoFar, 'row'),
  ].join(' · ');
};

/** A text on one line of at most `width` terminal columns, with an ellipsis where it was cut. */
export const fit = (text: string, width: number): string => {
  const clean = printable(text);
  if (displayWidth(clean) <= width) return clean;
  let [used, kept] = [1, '']; // one column for the ellipsis
  for (const character of charactersOf(clean)) {
    used += displayWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
};

const MAX_AGENTS = 12;

/** The tree of agents that a terminal shows, at most `width` cells wide. */
export const progressTree = (progress: Progress, width: number): string[] => {
  const [lead, ...others] = progress.agents;
  const shown = others.slice(0, MAX_AGENTS);
  const hidden = others.length - shown.length;
  const rows = shown.map(({ task, state, turns }) => `${state} (turn ${turns})  ${task}`);
  if (hidden > 0) rows.push(`and ${hidden} more`);
  const lines = [
    summaryLine(progress),
    ...(lead ? [`${lead.role}  ${lead.state}`] : []),
    ...rows.map((row, n) => `${n === rows.length - 1 ? '└─' : '├─'} ${row}`),
    ...(progress.asks
      ? [`? ${progress.asks.question} (answer: wideseek clarify ${progress.runId} "…")`]
      : []),
    ...progress.notes.slice(-3).map((note) => `! ${note}`),
  ];
  return lines.map((line) => fit(line, width));
};
