import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TrainInput, trainInputSchema } from '../../activities/trainer/plan.ts';
import { readCheckpoints } from '../../activities/trainer/live-model.ts';
import { loadRolloutConfig, loadSftConfig, loadTrainConfig } from '../../configs/train-load.ts';
import type { EngineConfig } from '../../configs/train-schema.ts';
import { loadRunConfig, type Overrides } from '../../configs/load.ts';
import { dataFolder } from '../../activities/datasets/folder.ts';
import { loadDataset } from '../../activities/datasets/load.ts';
import { type TraceOptions, writeMiniTraces } from '../../activities/datasets/mini/traces.ts';
import { invalidInput } from '../../domain/errors.ts';
import { ensureEngine, prepareEngine } from '../../infra/local/engine.ts';
import { ensureBaseModel } from '../../infra/local/engine-models.ts';
import { packageRoot, wideseekHome } from '../../infra/local/home.ts';
import { type Io, tell } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { both, type Ready, readyIndex } from '../run/ready.ts';
import { withStore } from '../run/session.ts';

const settings = ({ set }: TrainInput): Overrides => trainInputSchema.shape.set.parse(set);

/** The local engine with the base model in it, before the first workflow asks for it. Nothing for an engine on the wire. */
const readyEngine = async (
  io: Io,
  config: EngineConfig,
  options: { seed: number; deterministic: boolean },
): Promise<Ready> => {
  const home = wideseekHome(io.env);
  const onStatus = (line: string): void => tell(io, line);
  if (config.kind === 'wire' || config.url !== undefined || io.env.WIDESEEK_ENGINE_URL) {
    const url = config.url ?? io.env.WIDESEEK_ENGINE_URL;
    if (url === undefined)
      throw invalidInput(
        'engine.url',
        'is empty',
        'Set it, or WIDESEEK_ENGINE_URL, or --set engine.kind=local',
      );
    return async () => undefined;
  }
  const { deterministic, seed } = options;
  const spec = await prepareEngine({ home, env: io.env, deterministic, onStatus });
  await ensureBaseModel(spec, config.baseModel, { env: io.env, seed, onStatus });
  return async () => void (await ensureEngine({ home, env: io.env, deterministic, onStatus }, spec));
};

/** Everything of a training that can be wrong before a server is started. Throws as the loaders of what it names. */
export const prepareTrain = async (io: Io, input: TrainInput): Promise<Ready> => {
  const config = await loadTrainConfig(input.config, settings(input));
  const run = await loadRunConfig(config.policy.config, config.policy.set);
  await loadDataset(config.data.dataset, { env: io.env });
  if (config.data.dev) await loadDataset(config.data.dev, { env: io.env });
  const { deterministic, seed } = config;
  return both(await readyEngine(io, config.engine, { deterministic, seed }), await readyIndex(io, run));
};

/** As `prepareTrain`, for a collection; `from` names the run whose weights answer, so the local engine must serve them. */
export const prepareRollout = async (io: Io, input: TrainInput): Promise<Ready> => {
  const config = await loadRolloutConfig(input.config, settings(input));
  const run = await loadRunConfig(config.policy.config, config.policy.set);
  await loadDataset(config.data.dataset, { env: io.env });
  const index = await readyIndex(io, run);
  if (config.from === undefined) return index;
  const spec = await prepareEngine({ home: wideseekHome(io.env), env: io.env });
  return both(index, async () => {
    await ensureEngine({ home: wideseekHome(io.env), env: io.env, onStatus: (line) => tell(io, line) }, spec);
  });
};

/** Scripted conversations of the miniature's warm start; see its configurations. */
const MINI_FILES: Readonly<Record<string, Pick<TraceOptions, 'kind' | 'count' | 'subagents'>>> = {
  '.wideseek/mini/mas.jsonl': { kind: 'mas', count: 20_000, subagents: 2 },
  '.wideseek/mini/sa.jsonl': { kind: 'sa', count: 12_000 },
};

/**
 * The file of token sequences: as it was named from here or from the project's folder, else below the data folder. The
 * miniature's are written there when they are missing.
 */
const sequences = async (io: Io, file: string): Promise<string> => {
  for (const place of [resolve(io.cwd, file), join(packageRoot, file)]) if (existsSync(place)) return place;
  const own = join(dataFolder(io.env), file.replace(/^\.wideseek\//, ''));
  const made = MINI_FILES[file];
  if (existsSync(own) || made === undefined) return own;
  tell(io, `Writing scripted conversations of the miniature to ${own} (once, minutes) …`);
  const { rows, tokens } = await writeMiniTraces({ ...made, seed: 'warm-start', out: own });
  tell(io, `${rows} conversations, ${tokens} tokens.`);
  return own;
};

/** As `prepareTrain`, for supervised training; also says which file is really read. */
export const prepareSft = async (io: Io, input: TrainInput): Promise<{ input: TrainInput; ready: Ready }> => {
  const config = await loadSftConfig(input.config, settings(input));
  const file = await sequences(io, config.data.file);
  if (!existsSync(file)) throw invalidInput('data.file', `there is no file ${file}`);
  return {
    input: { ...input, set: { ...input.set, 'data.file': file } },
    ready: await readyEngine(io, config.engine, { seed: config.seed, deterministic: false }),
  };
};

/** The last kept checkpoint of a run (part of its name will do), for `engine.init`. Throws `NotFound` without one. */
export const checkpointOf = (io: Io, name: string): Promise<string> =>
  withStore(io, async (store) => {
    const { runId } = await findRun(store, name);
    const last = (await readCheckpoints(store, runId)).filter(({ kept }) => kept).at(-1);
    if (last) return last.path;
    throw invalidInput('--from', `run ${runId} has no checkpoint`);
  });
