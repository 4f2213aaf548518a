import { readPolicy } from '../../activities/trainer/policy.ts';
import type { RunConfig } from '../../configs/schema.ts';
import { WideseekError } from '../../domain/errors.ts';
import { ensureEngine, prepareEngine } from '../../infra/local/engine.ts';
import { ensureBaseModel } from '../../infra/local/engine-models.ts';
import { wideseekHome } from '../../infra/local/home.ts';
import { type Io, tell } from '../io.ts';
import { buildIndex, missingIndex } from './corpus.ts';
import type { Session } from './session.ts';

/** Makes ready what a run needs once the stack is up. */
export type Ready = (session: Session) => Promise<void>;

export const both =
  (...all: Ready[]): Ready =>
  async (session) => {
    for (const ready of all) await ready(session);
  };

/** The search index of a run, built where that is quick. Throws `NotFound` where a person has to start the build. */
export const readyIndex = async (io: Io, { search }: Pick<RunConfig, 'search'>): Promise<Ready> => {
  const { provider, corpus } = search;
  const missing = provider === 'corpus' ? await missingIndex(io, corpus) : 'none';
  if (missing === 'own')
    throw new WideseekError('NotFound', `the search index of the corpus "${corpus}" is not built`, {
      hint: `Build it, which may take long: wideseek index ${corpus}`,
    });
  return async (session) => {
    if (missing === 'none') return;
    tell(io, `Building the search index "${corpus}" (once) …`);
    await buildIndex(io, session, corpus);
  };
};

/** Whether a policy was published by the local engine, wherever it listened then. */
const isLocal = (url: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);

/**
 * The local engine, for a run with a model that samples from it because nothing names another one: with the base model
 * that the run asks for, or with the weights of a training here. Throws as `prepareEngine` and `ensureBaseModel`.
 */
export const readyModels = async (io: Io, { models }: Pick<RunConfig, 'models'>): Promise<Ready> => {
  const local = Object.values(models).filter(
    (model) => model?.provider === 'tokens' && model.tokens?.engine === 'wire' && !model.tokens.url,
  );
  if (local.length === 0 || io.env.WIDESEEK_ENGINE_URL) return () => Promise.resolve();
  const options = {
    ...{ home: wideseekHome(io.env), env: io.env },
    onStatus: (line: string): void => tell(io, line),
  };
  // What a training elsewhere has published needs no engine here, and nobody's Python; the store knows where it is.
  const own = local.filter((model) => !model?.tokens?.policy);
  const spec = own.length > 0 ? await prepareEngine(options) : undefined;
  for (const model of own) if (spec && model?.model) await ensureBaseModel(spec, model.model, options);
  return async ({ store }) => {
    const followed = local.flatMap((model) => model?.tokens?.policy ?? []);
    const policies = await Promise.all(followed.map((run) => readPolicy(store.documents, run)));
    const here = policies.some((policy) => policy === undefined || isLocal(policy.url));
    if (own.length > 0 || here) await ensureEngine(options, spec);
  };
};
