/** A search result as it stands in a conversation. */
export interface SeenHit {
  url: string;
  title: string;
  text: string;
}

/** What tools have shown, read back from the text that the model saw. */
export type Observation =
  | { kind: 'search'; query: string; hits: SeenHit[]; text: string }
  | { kind: 'page'; url: string; title: string; which: string; text: string }
  /** Errors, notes to the agent, guidance. */
  | { kind: 'message'; text: string };

const HEADING = /^### (Search|Page): (.*)$/;
const HIT = /^\[Doc \d+\]\((\S*)\): ?(.*)$/;
const WHICH = /^(\S+)(?: \((page \d+ of \d+)\))?/;
const HINT = /^\[(?:Turn \d+ of \d+|第 \d+ 轮，共 \d+ 轮)[^\n]*\]$/;
const READING = /^\[(?:Turn \d+ of \d+: reading|第 \d+ 轮，共 \d+ 轮：阅读)/;

/** Splits off the turn hint that closes a message; `reading`: it announced a turn for taking notes. */
export function splitHint(content: string): { body: string; hint: string; reading: boolean } {
  const at = content.lastIndexOf('\n') + 1;
  const last = content.slice(at);
  if (!HINT.test(last)) return { body: content, hint: '', reading: false };
  return { body: content.slice(0, at).trimEnd(), hint: last, reading: READING.test(last) };
}

/** Reads the blocks of a message of results. Inside `<<<` and `>>>` any line may stand, so nothing opens a block there. */
export function readObservations(body: string): Observation[] {
  const blocks: { heading: RegExpExecArray | null; lines: string[] }[] = [{ heading: null, lines: [] }];
  let quoted = false;
  for (const line of body.split('\n')) {
    if (!quoted && line === '<<<') quoted = true;
    else if (quoted && line === '>>>') quoted = false;
    const heading = quoted ? null : HEADING.exec(line);
    if (heading) blocks.push({ heading, lines: [line] });
    else blocks.at(-1)!.lines.push(line);
  }
  return blocks.flatMap(({ heading, lines }): Observation[] => {
    const text = lines.join('\n').trim();
    if (!heading) return text === '' ? [] : [{ kind: 'message', text }];
    const subject = heading[2]!.trim();
    if (heading[1] === 'Search') return [{ kind: 'search', query: subject, hits: readHits(lines), text }];
    const [, url = subject, which = ''] = WHICH.exec(subject) ?? [];
    const title = lines.find((line) => line.startsWith('Title: '))?.slice(7) ?? '';
    return [{ kind: 'page', url, title, which, text }];
  });
}

function readHits(lines: readonly string[]): SeenHit[] {
  const hits: SeenHit[] = [];
  for (const line of lines.slice(1)) {
    const head = HIT.exec(line);
    if (head) hits.push({ url: head[1]!, title: head[2]!.trim(), text: '' });
    else if (hits.length > 0) hits.at(-1)!.text += `${line}\n`;
  }
  return hits.map((hit) => ({ ...hit, text: hit.text.trim() }));
}

/** URLs that an observation shows, in order. */
export function urlsOf(observation: Observation): string[] {
  if (observation.kind === 'search') return observation.hits.map((hit) => hit.url);
  return observation.kind === 'page' ? [observation.url] : [];
}

/** The text of an observation as the model saw it. */
export const printObservation = (observation: Observation): string => observation.text;
