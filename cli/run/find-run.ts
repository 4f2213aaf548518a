import type { Store } from '../../activities/store/port.ts';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import type { RunRecord } from '../../domain/run.ts';

const LOOK_BACK = 1_000;

/**
 * The run that a person means: its id, its workflow id (`seek/<run>`), or a part of the id that only one run has.
 * Throws `NotFound` for an unknown one and `InvalidInput` for an ambiguous one.
 */
export const findRun = async (store: Store, name: string): Promise<RunRecord> => {
  const id = name.trim().replace(/^[a-z]+\//, '');
  const exact = await store.runs.get(id);
  if (exact) return exact;
  const matches =
    id.length < 3 ? [] : (await store.runs.list(LOOK_BACK)).filter(({ runId }) => runId.includes(id));
  const [only, ...others] = matches;
  if (only && others.length === 0) return only;
  if (only) {
    const some = matches.slice(0, 5).map(({ runId }) => runId);
    throw invalidInput(
      'run',
      `"${name}" fits ${matches.length} runs`,
      `Name one in full: ${some.join(', ')}`,
    );
  }
  throw new WideseekError('NotFound', `there is no run "${name}"`, { hint: '`wideseek runs` lists them' });
};
