import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runUpdate } from '../../activities/trainer/update.ts';
import type { TrainingEngine } from '../../activities/trainer/port.ts';
import { optimiserSchema } from '../../configs/train-schema.ts';
import { buildBatch } from '../../domain/rl/batch.ts';
import { positionLogprobs } from '../../domain/rl/datum.ts';
import { batchLoss } from '../../domain/rl/loss.ts';
import { PRESETS, type RlPreset } from '../../domain/rl/presets.ts';
import { randomBigram } from '../../domain/rl/testing/bigram.ts';
import { makeGroup, SMALL } from '../../domain/rl/testing/make.ts';
import type { Group } from '../../domain/rl/types.ts';
import type { Child } from '../../infra/local/child.ts';
import { ENGINE_DIR } from '../../infra/local/engine-python.ts';
import { freePort } from '../../infra/local/ports.ts';
import { enginePython, engineReason, jaxClient, startJaxEngine } from './jax-engine.ts';
import { seeded, shuffled } from './random.ts';

const MINUTES = 60_000;
const BASE = 'small';
const VOCABULARY = 40;
const TOLERANCE = 1e-6;
/** For a single tensor: small ones have the rounding of few numbers. */
const WORST = 5e-6;
const signal = AbortSignal.timeout(20 * MINUTES);

/**
 * The fixture's architecture with weights as large as models start with. Those of the fixture are ten times larger, and
 * float32 alone takes its gradient 8e-7 away from that of float64, however it is computed.
 */
function makeModel(dir: string): void {
  const fixture = readFileSync(join(ENGINE_DIR, 'tests/fixtures/qwen3-tiny/config.json'), 'utf8');
  const config = join(dir, 'config.json');
  const raw = JSON.parse(fixture) as Record<string, unknown>;
  writeFileSync(config, JSON.stringify({ ...raw, initializer_range: 0.02 }));
  const args = ['init', '--config', config, '--out', join(dir, 'models', BASE), '--seed', '1'];
  execFileSync(enginePython ?? '', ['-m', 'wideseek_engine', ...args], { cwd: ENGINE_DIR, stdio: 'ignore' });
}

/** Without memory the first moment is the gradient itself, and a checkpoint has it. */
const OPTIMISER = optimiserSchema.parse({ betas: [0, 0.9] });

/** Tensors of a safetensors file by name; all of them float32. */
function readTensors(file: string): Map<string, Float32Array> {
  const bytes = readFileSync(file);
  const size = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + size)) as Record<
    string,
    { data_offsets?: [number, number] }
  >;
  const found = new Map<string, Float32Array>();
  for (const [name, { data_offsets: range }] of Object.entries(header)) {
    if (range === undefined) continue;
    const data = bytes.subarray(8 + size + range[0], 8 + size + range[1]);
    found.set(name, new Float32Array(Uint8Array.from(data).buffer));
  }
  return found;
}

const norm = (values: Float32Array, other?: Float32Array): number =>
  Math.sqrt(values.reduce((sum, value, at) => sum + (value - (other?.[at] ?? 0)) ** 2, 0));

/** ‖a − b‖ / ‖b‖ over all tensors together, and the largest of any single one. */
function difference(a: Map<string, Float32Array>, b: Map<string, Float32Array>) {
  expect([...a.keys()].sort()).toEqual([...b.keys()].sort());
  const parts = [...b].map(([name, tensor]) => ({ off: norm(a.get(name)!, tensor), size: norm(tensor) }));
  return {
    all: Math.hypot(...parts.map(({ off }) => off)) / Math.hypot(...parts.map(({ size }) => size)),
    worst: Math.max(...parts.map(({ off, size }) => off / size)),
  };
}

/** One way of carrying out the same step. */
interface Way {
  groups: readonly Group[];
  algorithm: RlPreset;
  tokenBudget: number;
  /** Padded tokens of the engine's own micro-batches. */
  engine: 'large' | 'small';
}

describe.skipIf(enginePython === undefined)(`gradients of the real engine${engineReason}`, () => {
  let dir: string;
  const children: Child[] = [];
  const engines = {} as Record<Way['engine'], TrainingEngine>;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'wideseek-gradients-'));
    makeModel(dir);
    const folders = { models: join(dir, 'models'), checkpoints: join(dir, 'checkpoints') };
    for (const [name, tokenBudget] of [
      ['large', 4096],
      ['small', 64],
    ] as const) {
      const port = await freePort();
      children.push(await startJaxEngine({ port, ...folders, log: join(dir, `${name}.log`), tokenBudget }));
      engines[name] = jaxClient(port, BASE);
    }
  }, 10 * MINUTES);
  afterAll(async () => {
    for (const child of children) await child.stop(5_000);
    rmSync(dir, { recursive: true, force: true });
  });

  let runs = 0;
  /** Loss and gradients of one step from the base model. */
  async function take({ groups, algorithm, tokenBudget, engine: which }: Way) {
    const engine = engines[which];
    const handle = await engine.createModel({ baseModel: BASE, rank: 0, seed: 1 }, signal);
    const { trained, batch } = await runUpdate(
      {
        ...{ engine, handle, groups, algorithm, tokenBudget, optimiser: OPTIMISER, learningRates: [1e-3] },
        ...{ version: 3, firstSeq: 1, reference: null },
      },
      signal,
    );
    const path = await engine.saveWeights(handle, `run-${(runs += 1)}`, signal);
    await engine.unload(handle, signal);
    const folder = join(dir, 'checkpoints', path.replace('tinker://', ''));
    const moments = readTensors(join(folder, 'optimizer.safetensors'));
    return {
      loss: trained!.losses[0]!,
      norm: trained!.optimiser[0]!.grad_norm!,
      gradients: new Map([...moments].filter(([name]) => name.startsWith('mu.'))),
      calls: trained!.calls,
      sequences: batch.sequences.length,
    };
  }

  // Its advantages cancel least: a relative difference of the loss means most far from 0.
  const next = seeded(2);
  const shape = { ...SMALL, agents: 3, turns: 3, response: 8, tool: 4, rewrite: 0.1, drop: 0.15 };
  const groups = ['a', 'b', 'c'].map((id) =>
    makeGroup(next, randomBigram(next, VOCABULARY, 1), { ...shape, rollouts: 4 }, id),
  );
  const { wideseek } = PRESETS;
  const apart: RlPreset = { ...wideseek, batch: { ...wideseek.batch, merge: false } };
  const straight: Way = { groups, algorithm: wideseek, tokenBudget: 32_000, engine: 'large' };
  const mixed = shuffled(groups, next).map((group) => ({
    ...group,
    rollouts: shuffled(group.rollouts, next),
  }));

  let base: Awaited<ReturnType<typeof take>>;
  beforeAll(async () => {
    base = await take(straight);
  }, 10 * MINUTES);

  it.each<[string, Partial<Way>]>([
    ['in another order', { groups: mixed }],
    ['in many calls', { tokenBudget: 50 }],
    ['in small micro-batches', { engine: 'small' }],
    ['turn by turn', { algorithm: apart }],
    [
      'turn by turn, in another order, in many calls of small micro-batches',
      { algorithm: apart, groups: mixed, tokenBudget: 60, engine: 'small' },
    ],
  ])('are the same for the same rollouts %s', { timeout: 10 * MINUTES }, async (name, way) => {
    const other = await take({ ...straight, ...way });
    if (way.tokenBudget !== undefined) expect(other.calls).toBeGreaterThan(3 * base.calls);
    if (way.algorithm !== undefined) expect(other.sequences).toBeGreaterThan(base.sequences);
    const { all, worst } = difference(other.gradients, base.gradients);
    const loss = Math.abs(other.loss - base.loss) / Math.abs(base.loss);
    const size = Math.abs(other.norm - base.norm) / base.norm;
    console.log(
      `${name}: ${other.sequences} sequences in ${other.calls} calls, ${base.sequences} in ${base.calls}; off by ` +
        `${loss.toExponential(1)} (loss), ${size.toExponential(1)} (norm), ${all.toExponential(1)} (gradient), ` +
        `${worst.toExponential(1)} (worst tensor)`,
    );
    for (const value of [loss, size, all]) expect(value).toBeLessThan(TOLERANCE);
    expect(worst).toBeLessThan(WORST);
  });

  it('follow another batch: the comparison can tell', { timeout: 10 * MINUTES }, async () => {
    const other = await take({ ...straight, groups: groups.slice(0, 2) });
    expect(difference(other.gradients, base.gradients).all).toBeGreaterThan(0.01);
    const equal: RlPreset = { ...wideseek, batch: { ...wideseek.batch, weighting: 'token-mean' } };
    const weighted = await take({ ...straight, algorithm: equal });
    expect(difference(weighted.gradients, base.gradients).all).toBeGreaterThan(0.01);
  });

  it('belong to the loss that the algorithm names', { timeout: 10 * MINUTES }, async () => {
    const engine = engines.large;
    const handle = await engine.createModel({ baseModel: BASE, rank: 0, seed: 1 }, signal);
    const { sequences, denominator } = buildBatch(groups, wideseek.batch);
    const data = sequences.map(({ tokens }) => {
      const length = tokens.length - 1;
      const zeros = () => new Float32Array(length);
      const weights = new Float32Array(length).fill(1);
      return {
        tokens: tokens.slice(0, -1),
        targets: tokens.slice(1),
        weights,
        logprobs: zeros(),
        advantages: zeros(),
      };
    });
    const logprobs = await engine.forward(handle, 1, data, signal);
    await engine.unload(handle, signal);
    const items = sequences.map((sequence, at) => ({
      sequence,
      logprobs: { current: positionLogprobs(sequence, logprobs[at]!) },
    }));
    const { loss } = batchLoss(items, wideseek.loss, 3, denominator);
    expect(Math.abs(loss - base.loss) / Math.abs(loss)).toBeLessThan(TOLERANCE);
  });
});
