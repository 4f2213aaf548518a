import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../activities/store/open.ts';
import { stepDocumentSchema, stepsOf } from '../../activities/trainer/records.ts';
import { homePaths, packageRoot, wideseekHome } from '../../infra/local/home.ts';
import { engineCache, enginePython, engineReason } from './jax-engine.ts';

const STEPS = 12;
/** Steps whose mean is looked at: one step's reward is that of a few questions. */
const WINDOW = 4;

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** The command in a home of its own that shares what is downloaded, bundled and compiled. Throws with what it printed. */
async function wideseek(home: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [join(packageRoot, 'infra/bin/wideseek.mjs'), ...args], {
    cwd: packageRoot,
    env: { ...process.env, WIDESEEK_HOME: home, TEMPORAL_ADDRESS: undefined },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-4_000)));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`wideseek ${args.join(' ')} ended with ${String(code)}: ${printed}`);
}

/** The paper in miniature for some minutes: everything is real, only shorter, and the answers' item F1 rises. */
test.skipIf(enginePython === undefined)(
  `a few steps of mini.yaml make a better policy${engineReason}`,
  { timeout: 1_500_000 },
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'wideseek-learns-'));
    const { artifacts } = homePaths(wideseekHome());
    for (const [shared, own] of [
      [artifacts, homePaths(home).artifacts],
      [engineCache, join(home, 'engines', 'cache')],
      [join(tmpdir(), 'wideseek-test-bundles'), join(home, 'cache')],
    ] as const) {
      mkdirSync(shared, { recursive: true });
      mkdirSync(join(own, '..'), { recursive: true });
      symlinkSync(shared, own);
    }
    try {
      const short = { steps: STEPS, evalEvery: 1_000, checkpointEvery: STEPS };
      const set = Object.entries(short).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
      await wideseek(home, ['train', 'mini', '--name', 'learns', ...set]);

      const store = await openStore(`sqlite:${homePaths(home).storeDb}`);
      const documents = await store.documents.list(stepsOf('train-learns'));
      await store.close();
      const steps = documents.map(({ value }) => stepDocumentSchema.parse(value).metrics);
      expect(steps).toHaveLength(STEPS);
      const change = (metric: string): number =>
        mean(steps.slice(-WINDOW).map((step) => step[metric]!)) -
        mean(steps.slice(0, WINDOW).map((step) => step[metric]!));
      // About 0.06 is expected, with a standard error of about 0.03.
      expect(change('rollout/score')).toBeGreaterThan(0);
      // What was trained on is what was sampled.
      expect(mean(steps.map((step) => step['merge/prefix_mismatches']!))).toBe(0);
      for (const step of steps.map((metrics) => metrics['train/actor/ratio']!))
        expect(step).toBeCloseTo(1, 1);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
