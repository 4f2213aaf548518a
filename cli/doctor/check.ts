import type { Io } from '../io.ts';

/** One line of `wideseek doctor`. `warn`: works, with something to know. */
export interface Finding {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  /** What to do about it. */
  hint?: string;
}

/** Runs one check; an error it throws is a finding, not the end of the examination. */
export const examine = async (
  name: string,
  check: () => Promise<Omit<Finding, 'name'>>,
): Promise<Finding> => {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    return { name, state: 'fail', detail: error instanceof Error ? error.message : String(error) };
  }
};

const SIGNS = { ok: '✓', warn: '!', fail: '✗' } as const;

/** `✓ node: 20.11.0`, with the hint on a line of its own. */
export const findingLines = ({ name, state, detail, hint }: Finding): string[] => [
  `${SIGNS[state]} ${name}: ${detail}`,
  ...(hint ? [`    ${hint}`] : []),
];

export type Check = (io: Io) => Promise<Finding>;
