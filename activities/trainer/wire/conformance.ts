import type { EngineCapabilities } from '../../../domain/rl/engine.ts';
import type { TrainingEngine } from '../port.ts';
import { idempotencyChecks } from './checks/idempotency.ts';
import { numericsChecks } from './checks/numerics.ts';
import { reductionChecks } from './checks/reduction.ts';
import { createBench } from './checks/bench.ts';
import { samplingChecks } from './checks/sampling.ts';
import { versionChecks } from './checks/versions.ts';
import type { Check, CheckResult, Measured } from './checks/types.ts';

export type { CheckResult } from './checks/types.ts';

/** An engine under test. It must be up; the suite creates and unloads its own models. */
export interface ConformanceTarget {
  engine: TrainingEngine;
  baseModel: string;
  /** LoRA rank, or 0 for full fine-tuning where the engine has it. */
  rank: number;
  /** Number of token ids; all of them are used. */
  vocabSize: number;
  /** Address for the few requests that our own client refuses to send. Default: those checks are left out. */
  url?: string;
  /** Largest difference of trainer's and sampler's log-probs that passes. Default 1e-3; half precision needs more. */
  tolerance?: number;
}

/** What the suite found out about an engine, for the records of this project. */
export interface ConformanceRecord {
  engine: string;
  /** What was declared before. */
  declared: EngineCapabilities;
  /** What was measured; null is what could not be found out. */
  measured: Measured;
  /** Declared facts that the measurements contradict. */
  contradictions: string[];
  checks: CheckResult[];
}

const CHECKS: readonly Check[] = [
  ...numericsChecks,
  ...reductionChecks,
  ...idempotencyChecks,
  ...samplingChecks,
  ...versionChecks,
];

/**
 * Runs every check against an engine. `pass` and `fail` are what any engine must meet; `capability` is what engines may
 * differ in, with what was measured; `unsupported` is what could not be asked. A check that throws is a failure, and the
 * rest still runs. `onResult` hears of each check as it ends.
 */
export async function runConformance(
  createTarget: () => ConformanceTarget | Promise<ConformanceTarget>,
  signal: AbortSignal,
  onResult: (result: CheckResult) => void = () => undefined,
): Promise<ConformanceRecord> {
  const target = await createTarget();
  const { engine } = target;
  const measured: Measured = {};
  const checks: CheckResult[] = [];
  await engine.ready(signal);
  for (const check of CHECKS) {
    const { id, title } = check;
    const bench = createBench(target, signal);
    let result: CheckResult;
    try {
      const outcome = await check.run(bench, measured);
      result = { id, title, ...outcome };
    } catch (error) {
      signal.throwIfAborted();
      result = { id, title, status: 'fail', detail: error instanceof Error ? error.message : String(error) };
    } finally {
      await bench.tidy();
    }
    checks.push(result);
    onResult(result);
  }
  return {
    engine: engine.capabilities.name,
    declared: engine.capabilities,
    measured,
    contradictions: contradictions(engine.capabilities, measured),
    checks,
  };
}

function contradictions(declared: EngineCapabilities, measured: Measured): string[] {
  const sum = declared.reduction === 'sum';
  const pairs: [string, unknown, unknown][] = [
    ['reduction', declared.reduction, measured.reduction],
    ['meanOver', sum ? undefined : declared.meanOver, sum ? undefined : measured.meanOver],
    ['clip', declared.clip, measured.clip],
    ['dualClip', declared.dualClip, measured.dualClip],
    ['forward', declared.forward, measured.forward],
    ['gradientNormClip', declared.gradientNormClip, measured.gradientNormClip],
    ['adam', declared.adam, measured.adam],
    ['severalVersions', declared.severalVersions, measured.severalVersions],
  ];
  return pairs.flatMap(([name, said, found]) =>
    said === undefined || found === undefined || found === null || said === found
      ? []
      : [`${name}: declared ${JSON.stringify(said)}, measured ${JSON.stringify(found)}`],
  );
}
