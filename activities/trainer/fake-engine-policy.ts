import type { EngineCapabilities } from '../../domain/rl/engine.ts';
import { tokenLoss } from '../../domain/rl/policy-loss.ts';
import type { AdamParams, ForwardBackward } from './port.ts';

/** Rows of the table: the previous token's id modulo this. */
const CONTEXTS = 32;
/** Columns of the table: the next token's id modulo this; tokens of one column are equally likely. */
const COLUMNS = 64;
/** Settings of an engine that obeys only the learning rate. */
const FIXED = { beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0 };

/** Weights and optimiser state: a table of logits by (previous token, next token), and Adam's two moments. */
export interface PolicyState {
  logits: Float64Array;
  first: Float64Array;
  second: Float64Array;
  steps: number;
}

/** Gradients since the last step, and how many datums they come from. */
export interface Gradients {
  sum: Float64Array;
  datums: number;
}

export interface ToyPolicy {
  initial(seed: number): PolicyState;
  /** Log-prob of `token` after `previous`, at temperature 1. */
  logprob(logits: Float64Array, previous: number, token: number): number;
  /** One token; `random` gives numbers in [0, 1). */
  draw(
    logits: Float64Array,
    previous: number,
    options: { temperature: number; topP: number },
    random: () => number,
  ): number;
  /** Adds the gradients of a call (unless `gradients` is null) and returns log-probs and weighted losses. */
  pass(
    logits: Float64Array,
    call: ForwardBackward,
    gradients: Gradients | null,
  ): { logprobs: Float32Array[]; losses: Float32Array[] };
  /** One step of Adam with decoupled weight decay; returns the new state and the gradients' norm. */
  step(
    state: PolicyState,
    gradients: Gradients,
    adam: AdamParams,
  ): { state: PolicyState; gradientNorm: number };
  noGradients(): Gradients;
}

/**
 * The smallest policy that really learns: the next token depends on the previous one only, through a table of logits.
 * With up to 64 token ids it is an exact bigram model; larger vocabularies share columns, so that cost never grows.
 * Everything is deterministic.
 */
export function createToyPolicy(vocabSize: number, capabilities: EngineCapabilities): ToyPolicy {
  const columns = Math.min(COLUMNS, vocabSize);
  const size = CONTEXTS * columns;
  const members = Array.from({ length: columns }, (_, c) => Math.floor((vocabSize - 1 - c) / columns) + 1);
  const cache = new WeakMap<Float64Array, (Float64Array | undefined)[]>();

  /** Log-probs of the columns of one row; tables are never changed in place, so a row is computed once. */
  function rowOf(logits: Float64Array, previous: number): { row: number; logprobs: Float64Array } {
    const row = previous % CONTEXTS;
    let rows = cache.get(logits);
    if (rows === undefined) cache.set(logits, (rows = []));
    let logprobs = rows[row];
    if (logprobs === undefined) {
      const values = logits.subarray(row * columns, (row + 1) * columns);
      const top = values.reduce((a, b) => Math.max(a, b), -Infinity);
      const total = values.reduce((sum, value) => sum + Math.exp(value - top), 0);
      logprobs = values.map((value) => value - top - Math.log(total));
      rows[row] = logprobs;
    }
    return { row, logprobs };
  }

  const perToken = (logprobs: Float64Array, column: number): number =>
    (logprobs[column] ?? NaN) - Math.log(members[column] ?? 1);

  const logprob: ToyPolicy['logprob'] = (logits, previous, token) =>
    perToken(rowOf(logits, previous).logprobs, token % columns);

  return {
    logprob,
    noGradients: () => ({ sum: new Float64Array(size), datums: 0 }),

    initial(seed) {
      const random = createRandom(seed);
      const logits = new Float64Array(size).map(() => random() - 0.5);
      return { logits, first: new Float64Array(size), second: new Float64Array(size), steps: 0 };
    },

    draw(logits, previous, { temperature, topP }, random) {
      const { logprobs } = rowOf(logits, previous);
      const scores = Array.from(logprobs, (_, c) => perToken(logprobs, c));
      if (temperature === 0) return scores.indexOf(Math.max(...scores));
      const top = Math.max(...scores);
      const weights = scores.map((score, c) => Math.exp((score - top) / temperature) * (members[c] ?? 1));
      const kept = topP < 1 ? nucleus(weights, topP) : weights;
      let left = random() * kept.reduce((sum, weight) => sum + weight, 0);
      let column = kept.findIndex((weight) => (left -= weight) < 0);
      if (column < 0) column = kept.findLastIndex((weight) => weight > 0);
      return column + columns * Math.floor(random() * (members[column] ?? 1));
    },

    pass(logits, call, gradients) {
      const inStep = capabilities.reduction === 'sum' || capabilities.meanOver === 'step';
      const result = { logprobs: [] as Float32Array[], losses: [] as Float32Array[] };
      for (const datum of call.data) {
        const logprobs = new Float32Array(datum.tokens.length);
        const losses = new Float32Array(datum.tokens.length);
        const weightSum = datum.weights.reduce((sum, weight) => sum + weight, 0);
        const scale =
          capabilities.reduction === 'sum'
            ? 1
            : 1 / Math.max(weightSum, 1e-9) / (inStep ? 1 : call.data.length);
        for (let at = 0; at < datum.tokens.length; at += 1) {
          const { row, logprobs: columnsOf } = rowOf(logits, datum.tokens[at] ?? 0);
          const column = (datum.targets[at] ?? 0) % columns;
          const current = perToken(columnsOf, column);
          logprobs[at] = current;
          const weight = datum.weights[at] ?? 0;
          if (weight === 0) continue;
          const { loss, gradient } = lossOf(
            call,
            current,
            datum.logprobs[at] ?? 0,
            datum.advantages[at] ?? 0,
          );
          losses[at] = weight * loss;
          if (gradients === null || gradient === 0) continue;
          const slope = weight * gradient * scale;
          for (let c = 0; c < columns; c += 1) {
            const at2 = row * columns + c;
            const towards = (c === column ? 1 : 0) - Math.exp(columnsOf[c] ?? -Infinity);
            gradients.sum[at2] = (gradients.sum[at2] ?? 0) + slope * towards;
          }
        }
        result.logprobs.push(logprobs);
        result.losses.push(losses);
      }
      if (gradients !== null) gradients.datums += call.data.length;
      return result;
    },

    step(state, gradients, adam) {
      const { beta1, beta2, eps, weightDecay } = capabilities.adam === 'all' ? adam : FIXED;
      const overStep = capabilities.reduction === 'mean-of-means' && capabilities.meanOver === 'step';
      const divisor = overStep ? Math.max(1, gradients.datums) : 1;
      const norm = Math.sqrt(gradients.sum.reduce((sum, g) => sum + (g / divisor) ** 2, 0));
      const limit = capabilities.gradientNormClip ? (adam.gradClipNorm ?? Infinity) : Infinity;
      const scale = Math.min(1, limit / Math.max(norm, 1e-12)) / divisor;
      const steps = state.steps + 1;
      const first = state.first.map((m, i) => beta1 * m + (1 - beta1) * (gradients.sum[i] ?? 0) * scale);
      const second = state.second.map(
        (v, i) => beta2 * v + (1 - beta2) * ((gradients.sum[i] ?? 0) * scale) ** 2,
      );
      const logits = state.logits.map((value, i) => {
        const mean = (first[i] ?? 0) / (1 - beta1 ** steps);
        const spread = Math.sqrt((second[i] ?? 0) / (1 - beta2 ** steps));
        return value - adam.learningRate * (mean / (spread + eps) + weightDecay * value);
      });
      return { state: { logits, first, second, steps }, gradientNorm: norm };
    },
  };

  function lossOf(
    call: ForwardBackward,
    current: number,
    old: number,
    advantage: number,
  ): { loss: number; gradient: number } {
    if (call.lossFn === 'cross_entropy') return { loss: -current, gradient: -1 };
    const {
      clip_low_threshold: low = 0.8,
      clip_high_threshold: high = 1.2,
      dual_clip: dual,
    } = call.lossFnConfig;
    const ppo = call.lossFn === 'ppo' && capabilities.clip;
    return tokenLoss(current, old, advantage, {
      clipLow: ppo ? 1 - low : Infinity,
      clipHigh: ppo ? high - 1 : Infinity,
      dualClip: ppo && capabilities.dualClip ? (dual ?? null) : null,
      logRatioLimit: 50,
    });
  }
}

/** The weights of the likeliest columns whose mass reaches `topP`; 0 for the others. */
function nucleus(weights: number[], topP: number): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const order = weights.map((_, c) => c).sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0));
  const kept = weights.map(() => 0);
  let mass = 0;
  for (const column of order) {
    kept[column] = weights[column] ?? 0;
    mass += (weights[column] ?? 0) / total;
    if (mass >= topP) break;
  }
  return kept;
}

/** Numbers in [0, 1) that depend on the seed only (Weyl sequence with a multiplicative mix of 32 bits). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
