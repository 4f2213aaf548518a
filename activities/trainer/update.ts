import type { TrainConfig } from '../../configs/train-schema.ts';
import { WideseekError } from '../../domain/errors.ts';
import { buildBatch, type TrainingBatch } from '../../domain/rl/batch.ts';
import { engineCall, positionLogprobs, type Datum, type TrainItem } from '../../domain/rl/datum.ts';
import { denominatorOf, naturalDenominator } from '../../domain/rl/denominator.ts';
import { planLoss, type EnginePlan } from '../../domain/rl/engine.ts';
import { type LossStats, sequenceLoss } from '../../domain/rl/loss.ts';
import { packBalanced } from '../../domain/rl/packing.ts';
import type { RlPreset } from '../../domain/rl/presets.ts';
import type { Group, Sequence } from '../../domain/rl/types.ts';
import type { ModelHandle, TrainingEngine } from './port.ts';

export interface UpdateTask {
  engine: TrainingEngine;
  handle: ModelHandle;
  /** In training order. */
  groups: readonly Group[];
  algorithm: RlPreset;
  optimiser: TrainConfig['optimiser'];
  /** One for each optimiser step. */
  learningRates: readonly number[];
  tokenBudget: number;
  /** Policy version that the step starts from. */
  version: number;
  /** First free sequence number. */
  firstSeq: number;
  /** Snapshot of the reference policy; null is the base model. */
  reference: string | null;
  /** Told before each call to the engine. */
  onProgress?: (phase: string, done: number, of: number) => void;
}

export interface UpdateResult {
  batch: TrainingBatch;
  /** Null where the groups hold nothing to train on: the weights have not moved. */
  trained: {
    /** Of each optimiser step, as the engine reduced it. */
    losses: number[];
    /** Σ weight · |policy loss| / denominator of each optimiser step, from the log-probs that the engine returned. */
    lossesAbs: number[];
    /** Σ weight · loss / denominator likewise: the objective itself, its KL term included. */
    objectives: number[];
    loss: LossStats[];
    optimiser: Record<string, number>[];
    calls: number;
    packing: number;
  } | null;
  nextSeq: number;
  /** Milliseconds. */
  time: { build: number; reference: number; forward: number; backward: number; optimise: number };
}

/**
 * One training step on a living model: groups to sequences, proximal and reference log-probs where the loss needs them,
 * forward-backward bin by bin, one optimiser step per minibatch. Sequence numbers count up from `firstSeq` and depend on
 * the task alone, so a repetition on the same model changes nothing. Throws `NotFound` where the model is gone.
 */
export async function runUpdate(task: UpdateTask, signal: AbortSignal): Promise<UpdateResult> {
  const { engine, handle, algorithm, learningRates } = task;
  const time = { build: 0, reference: 0, forward: 0, backward: 0, optimise: 0 };
  let seq = task.firstSeq;
  const timed = async <T>(part: keyof typeof time, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    try {
      return await work();
    } finally {
      time[part] += performance.now() - start;
    }
  };
  const plan = planLoss(algorithm.loss, engine.capabilities, learningRates.length);
  const batch = await timed('build', async () => buildBatch(task.groups, algorithm.batch));
  if (batch.sequences.length === 0) return { batch, trained: null, nextSeq: seq, time };

  const proximal = new Map<Sequence, Float64Array>();
  if (plan.needsProximal) {
    const bins = binsOf(batch.sequences, task.tokenBudget);
    for (const [index, bin] of bins.entries()) {
      task.onProgress?.('forward', index, bins.length);
      const found = await timed('forward', () =>
        engine.forward(handle, seq++, bin.map(forwardDatum), signal),
      );
      bin.forEach((sequence, at) =>
        proximal.set(sequence, positionLogprobs(sequence, found[at] ?? new Float32Array(0))),
      );
    }
  }
  const reference = await timed('reference', () => referenceOf(task, plan, batch.sequences, signal));

  const trained: NonNullable<UpdateResult['trained']> = {
    losses: [],
    lossesAbs: [],
    objectives: [],
    loss: [],
    optimiser: [],
    calls: 0,
    packing: 0,
  };
  const parts = minibatches(task.groups, batch, algorithm, learningRates.length);
  for (const [part, { sequences, denominator }] of parts.entries()) {
    if (sequences.length === 0) continue;
    const packed = packBalanced(
      sequences.map(({ tokens }) => tokens.length),
      task.tokenBudget,
    );
    trained.packing += packed.efficiency / parts.length;
    let partLoss = 0;
    const before = trained.loss.length;
    for (const [index, bin] of packed.bins.entries()) {
      task.onProgress?.('backward', index, packed.bins.length);
      const items = bin.map((at): TrainItem => {
        const sequence = sequences[at]!;
        return { sequence, proximal: proximal.get(sequence), reference: reference.get(sequence) };
      });
      const data = engineCall(items, {
        ...{ loss: algorithm.loss, plan, engine: engine.capabilities, version: task.version, denominator },
        datumsInStep: sequences.length,
      });
      const { lossFn, lossFnConfig } = plan;
      const reply = await timed('backward', () =>
        engine.forwardBackward(handle, seq++, { lossFn, lossFnConfig, data }, signal),
      );
      partLoss += reply.loss;
      trained.calls += 1;
      items.forEach((item, at) =>
        trained.loss.push(statsOf(item, reply.logprobs[at] ?? new Float32Array(0), algorithm, task.version)),
      );
    }
    trained.losses.push(partLoss);
    const total = (pick: (stats: LossStats) => number): number =>
      trained.loss.slice(before).reduce((sum, stats) => sum + pick(stats), 0);
    trained.lossesAbs.push(total(({ lossAbsSum }) => lossAbsSum) / denominator);
    trained.objectives.push(total(({ lossSum }) => lossSum) / denominator);
    task.onProgress?.('optimise', part, parts.length);
    trained.optimiser.push(
      await timed('optimise', () =>
        engine.optimStep(handle, seq++, adamOf(task.optimiser, learningRates[part]!, engine), signal),
      ),
    );
  }
  return { batch, trained, nextSeq: seq, time };
}

/** The optimiser's settings of one step as the port wants them. */
export const adamOf = (
  { betas, eps, weightDecay, gradClipNorm }: TrainConfig['optimiser'],
  learningRate: number,
  { capabilities }: Pick<TrainingEngine, 'capabilities'>,
) => ({
  ...{ learningRate, beta1: betas[0], beta2: betas[1], eps, weightDecay },
  ...(gradClipNorm !== null && capabilities.gradientNormClip ? { gradClipNorm } : {}),
});

function binsOf(sequences: readonly Sequence[], budget: number): Sequence[][] {
  const { bins } = packBalanced(
    sequences.map(({ tokens }) => tokens.length),
    budget,
  );
  return bins.map((bin) => bin.map((at) => sequences[at]!));
}

/** A sequence as a forward pass wants it: tokens and targets, nothing to learn. */
function forwardDatum({ tokens, spans }: Sequence): Datum {
  const length = tokens.length - 1;
  const weights = new Float32Array(length);
  for (const { start, length: count } of spans) weights.fill(1, start - 1, start - 1 + count);
  const zeros = (): Float32Array => new Float32Array(length);
  return {
    tokens: tokens.slice(0, length),
    targets: tokens.slice(1),
    ...{ weights, logprobs: zeros(), advantages: zeros() },
  };
}

async function referenceOf(
  { engine, onProgress, reference }: UpdateTask,
  plan: EnginePlan,
  sequences: readonly Sequence[],
  signal: AbortSignal,
): Promise<Map<Sequence, Float64Array>> {
  const found = new Map<Sequence, Float64Array>();
  if (!plan.needsReference) return found;
  for (const [index, sequence] of sequences.entries()) {
    onProgress?.('reference', index, sequences.length);
    const values = await engine.promptLogprobs(sequence.tokens, reference, signal);
    found.set(sequence, positionLogprobs(sequence, values));
  }
  return found;
}

/**
 * The batch's sequences by optimiser step, whole groups each, in training order and as even as their number allows. A
 * minibatch has a denominator of its own, so its loss is a mean as the batch's would be.
 */
export function minibatches(
  groups: readonly Group[],
  batch: TrainingBatch,
  { batch: config }: RlPreset,
  parts: number,
): { sequences: Sequence[]; denominator: number }[] {
  if (parts === 1) return [{ sequences: batch.sequences, denominator: batch.denominator }];
  const out = new Set(batch.filtered.map(({ groupId }) => groupId));
  const used = groups.filter(({ id }) => !out.has(id));
  const rule = config.denominator ?? naturalDenominator(config.weighting);
  return Array.from({ length: parts }, (_, part) => {
    const first = Math.floor((part * used.length) / parts);
    const own = used.slice(first, Math.floor(((part + 1) * used.length) / parts));
    const ids = new Set(own.map(({ id }) => id));
    const sequences = batch.sequences.filter(({ groupId }) => ids.has(groupId));
    const rollouts = own.reduce(
      (sum, group) => sum + group.rollouts.filter(({ outcome }) => outcome.kind === 'scored').length,
      0,
    );
    // A number given by hand is the whole batch's.
    const share = typeof rule === 'number' ? rule / parts : rule;
    return { sequences, denominator: denominatorOf(share, rollouts, sequences) };
  });
}

/** Loss statistics of a sequence with the log-probs that the engine had when it took the gradient. */
function statsOf(
  { sequence, proximal, reference }: TrainItem,
  current: Float32Array,
  { loss }: RlPreset,
  version: number,
): LossStats {
  if (current.length !== sequence.tokens.length - 1)
    throw new WideseekError(
      'BadReply',
      `forward-backward: ${current.length} log-probs for ${sequence.tokens.length - 1} targets`,
    );
  return sequenceLoss(
    sequence,
    { current: positionLogprobs(sequence, current), proximal, reference },
    loss,
    version,
  ).stats;
}
