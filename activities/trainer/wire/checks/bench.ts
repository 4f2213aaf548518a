import type { Datum } from '../../../../domain/rl/datum.ts';
import type { AdamParams, ForwardBackward, ModelHandle, TrainingEngine } from '../../port.ts';
import type { ConformanceTarget } from '../conformance.ts';

/**
 * With an eps far above every gradient, Adam's first step is a step along the gradient: the update is learningRate / eps
 * times the gradient, so that a change of log-probs tells the gradient's scale, which plain Adam hides.
 */
const LARGE = 1e4;
export const gradientStep = (rate: number): AdamParams => ({
  learningRate: rate * LARGE,
  beta1: 0,
  beta2: 0,
  eps: LARGE,
  weightDecay: 0,
});
export const plainAdam: AdamParams = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.95,
  eps: 1e-8,
  weightDecay: 0,
};

/** A model under test with its own sequence numbers. */
export interface Subject {
  handle: ModelHandle;
  next(): number;
  forward(data: readonly Datum[]): Promise<Float32Array[]>;
  backward(call: ForwardBackward): ReturnType<TrainingEngine['forwardBackward']>;
  step(adam: AdamParams): Promise<Record<string, number>>;
}

export interface Bench extends ConformanceTarget {
  signal: AbortSignal;
  /** A fresh model, the same every time: the seed is fixed. */
  model(restore?: string): Promise<Subject>;
  /** Unloads a model early, where an engine holds only a few. */
  drop(subject: Subject): Promise<void>;
  /** A datum over fixed tokens; `loss` are the positions with weight 1 (default: all). */
  datum(options?: { variant?: number; loss?: readonly number[]; advantage?: number }): Datum;
  /** A name for a checkpoint that no other run has used. */
  name(prefix: string): string;
  tidy(): Promise<void>;
}

const LENGTH = 12;

/** What checks work with; everything it makes is unloaded by `tidy`. */
export function createBench(target: ConformanceTarget, signal: AbortSignal): Bench {
  const { engine, vocabSize } = target;
  let open: Subject[] = [];
  let names = 0;
  const run = Date.now().toString(36);

  const drop = async (subject: Subject): Promise<void> => {
    open = open.filter((other) => other !== subject);
    await engine.unload(subject.handle, signal).catch(() => undefined);
  };

  return {
    ...target,
    signal,
    drop,
    name: (prefix) => `${prefix}-${run}-${(names += 1)}`,
    model: async (restore) => {
      const { baseModel, rank } = target;
      const handle = await engine.createModel({ baseModel, rank, seed: 11, restore }, signal);
      let seq = 0;
      const next = (): number => (seq += 1);
      const subject: Subject = {
        handle,
        next,
        forward: (data) => engine.forward(handle, next(), data, signal),
        backward: (call) => engine.forwardBackward(handle, next(), call, signal),
        step: (adam) => engine.optimStep(handle, next(), adam, signal),
      };
      open.push(subject);
      return subject;
    },
    datum: ({ variant = 0, loss, advantage = 1 } = {}) => {
      const ids = Int32Array.from(
        { length: LENGTH + 1 },
        (_, i) => (3 + i * 7 + variant * 5 + i * i * 3) % vocabSize,
      );
      const covered = new Set(loss ?? Array.from({ length: LENGTH }, (_, i) => i));
      const weights = Float32Array.from({ length: LENGTH }, (_, i) => (covered.has(i) ? 1 : 0));
      return {
        tokens: ids.slice(0, LENGTH),
        targets: ids.slice(1),
        weights,
        logprobs: new Float32Array(LENGTH),
        advantages: weights.map((weight) => weight * advantage),
      };
    },
    tidy: async () => {
      for (const subject of [...open]) await drop(subject);
    },
  };
}

/** The same datum with these log-probs as the old policy's. */
export const withOld = (datum: Datum, logprobs: Float32Array): Datum => ({ ...datum, logprobs });

/** Sum of the log-probs of the loss tokens. */
export const totalLogprob = (datum: Datum, logprobs: Float32Array | undefined): number =>
  datum.weights.reduce((sum, weight, i) => sum + weight * (logprobs?.[i] ?? NaN), 0);

export const largestDifference = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  if (a.length !== b.length) return NaN;
  let largest = 0;
  for (let i = 0; i < a.length; i += 1) largest = Math.max(largest, Math.abs((a[i] ?? NaN) - (b[i] ?? NaN)));
  return largest;
};

export const supervised = (data: readonly Datum[]): ForwardBackward => ({
  lossFn: 'cross_entropy',
  lossFnConfig: {},
  data,
});

export const ppo = (data: readonly Datum[], extra: Record<string, number> = {}): ForwardBackward => ({
  lossFn: 'ppo',
  lossFnConfig: { clip_low_threshold: 0.8, clip_high_threshold: 1.28, ...extra },
  data,
});

/**
 * How far one gradient step of these calls lifts the datum's log-probs, from the same fresh model every time, and the
 * rate that gives a change large enough to measure and small enough to be linear. Throws an Error where no rate does.
 */
export async function findRate(bench: Bench, call: ForwardBackward, datum: Datum): Promise<number> {
  let rate = 1e-3;
  for (let tries = 0; tries < 10; tries += 1) {
    const change = Math.abs(await effect(bench, [call], datum, rate));
    if (change > 0.01 && change < 0.1) return rate;
    rate *= change === 0 ? 10 : Math.min(100, Math.max(0.01, 0.03 / change));
  }
  throw new Error('no learning rate moves the log-probs by a small amount');
}

/** Change of the datum's total log-prob by one gradient step on these calls, from a fresh model. */
export async function effect(
  bench: Bench,
  calls: readonly ForwardBackward[],
  datum: Datum,
  rate: number,
  adam: AdamParams = gradientStep(rate),
): Promise<number> {
  const subject = await bench.model();
  const before = totalLogprob(datum, (await subject.forward([datum]))[0]);
  for (const call of calls) await subject.backward(call);
  await subject.step(adam);
  const after = totalLogprob(datum, (await subject.forward([datum]))[0]);
  await bench.drop(subject);
  return after - before;
}
