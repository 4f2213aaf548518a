import type { Progress } from '../../domain/run.ts';
import type { Output } from '../io.ts';
import type { View } from '../run/follow.ts';
import { progressTree, summaryLine } from './lines.ts';

const ESC = '\u001b[';

/** Redraws the tree of agents in place. */
const terminalView = (out: Output): View<Progress> => {
  let drawn = 0;
  let last: string[] = [];
  const erase = (): void => {
    if (drawn > 0) out.write(`${ESC}${drawn}A${ESC}0J`);
    drawn = 0;
  };
  const draw = (): void => {
    out.write(last.map((line) => `${line}\n`).join(''));
    drawn = last.length;
  };
  return {
    progress: (progress) => {
      erase();
      last = progressTree(progress, Math.max(20, out.columns - 1));
      draw();
    },
    note: (line) => {
      erase();
      out.write(`${line}\n`);
      draw();
    },
    end: erase,
  };
};

/** For logs and pipes: a line when something worth a line changed, each note once. */
const lineView = (out: Output): View<Progress> => {
  let last = '';
  const notes = new Set<string>();
  const gist = ({ phase, turn, agents, rowsSoFar }: Progress): string =>
    [phase, turn, agents.length, rowsSoFar].join(' ');
  return {
    progress: (progress) => {
      if (gist(progress) !== last) out.write(`${summaryLine(progress)}\n`);
      last = gist(progress);
      for (const note of progress.notes.filter((each) => !notes.has(each))) {
        notes.add(note);
        out.write(`! ${note}\n`);
      }
    },
    note: (line) => out.write(`${line}\n`),
    end: () => undefined,
  };
};

/** How progress is shown on this output. */
export const createView = (out: Output): View<Progress> => (out.isTTY ? terminalView(out) : lineView(out));
