import { spawn } from 'node:child_process';
import { fetch } from 'undici';
import { BOOTSTRAP_SEED, seededRandom } from '../../domain/scoring/bootstrap.ts';
import { compareRuns, isSignificantDrop, primaryMetric } from '../../domain/scoring/compare.ts';
import type { EvaluationPlan } from '../../domain/scoring/evaluation-plan.ts';
import {
  EVALUATIONS,
  evaluationSchema,
  type EvaluationOutcome,
  type SampleRecord,
} from '../../domain/scoring/samples.ts';
import type { Store } from '../store/port.ts';

export interface GateVerdict {
  verdict: 'good' | 'regression' | 'incomplete';
  /** One line for people: what was compared with what. */
  detail: string;
  baseline: string | null;
  /** What went wrong while telling, or empty; it never changes the verdict. */
  notification: string;
}

export interface GateDeps {
  store: Store;
  recordsOf: (runId: string) => Promise<Map<string, SampleRecord>>;
  notify: { command?: string[]; webhook?: string };
  env: NodeJS.ProcessEnv;
}

/** Collection of the last good run per configuration hash. */
export const LAST_GOOD = 'last-good';
const NOTIFY_MS = 30_000;

/** Judges a finished evaluation against the last good one of the same configuration. */
export async function gateRun(
  deps: GateDeps,
  plan: EvaluationPlan,
  outcome: EvaluationOutcome,
): Promise<GateVerdict> {
  const { store } = deps;
  const { configHash } = evaluationSchema.parse(await store.documents.get(EVALUATIONS, plan.runId));
  const last = (await store.documents.get(LAST_GOOD, configHash)) as string | undefined;
  const baseline = last === plan.runId ? null : (last ?? null);
  const { verdict, detail } = await compareWithBaseline(deps, plan, outcome, baseline);
  if (verdict === 'good') {
    await store.documents.put(LAST_GOOD, configHash, plan.runId);
    return { verdict, detail, baseline, notification: '' };
  }
  const notification = await tell(deps, {
    runId: plan.runId,
    dataset: plan.dataset,
    verdict,
    detail,
    baseline,
    headline: outcome.headline,
  });
  return { verdict, detail, baseline, notification };
}

async function compareWithBaseline(
  deps: GateDeps,
  plan: EvaluationPlan,
  outcome: EvaluationOutcome,
  baseline: string | null,
) {
  if (!outcome.complete) {
    return {
      verdict: 'incomplete' as const,
      detail: `${outcome.unscored} of ${plan.total} samples could not be scored`,
    };
  }
  if (baseline === null) return { verdict: 'good' as const, detail: 'first good run of this configuration' };
  const [a, b] = await Promise.all([deps.recordsOf(baseline), deps.recordsOf(plan.runId)]);
  const { metrics } = compareRuns([...a.values()], [...b.values()], { random: seededRandom(BOOTSTRAP_SEED) });
  const name = primaryMetric(Object.keys(metrics));
  const metric = name === undefined ? undefined : metrics[name];
  if (!metric) return { verdict: 'good' as const, detail: `nothing in common with ${baseline}` };
  const { mean, low, high } = metric.difference;
  const [before, now, change, least, most] = [metric.a.mean, metric.b.mean, mean, low, high].map((x) =>
    x.toFixed(4),
  );
  const numbers = `${name} ${before} → ${now} (difference ${change}, ${least} to ${most}, ${metric.questions} questions, against ${baseline})`;
  const dropped = isSignificantDrop(metric, { tolerance: plan.gate?.tolerance ?? 0 });
  return { verdict: dropped ? ('regression' as const) : ('good' as const), detail: numbers };
}

/** Runs the configured command and calls the webhook; returns what failed. */
async function tell({ notify, env }: GateDeps, message: unknown): Promise<string> {
  const body = JSON.stringify(message);
  const failures: string[] = [];
  if (notify.command)
    await runCommand(notify.command, body, env).catch((error: Error) => failures.push(error.message));
  if (notify.webhook) {
    const signal = AbortSignal.timeout(NOTIFY_MS);
    await fetch(notify.webhook, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      signal,
    })
      .then((reply) => {
        if (!reply.ok) failures.push(`webhook answered ${reply.status}`);
      })
      .catch((error: Error) => failures.push(`webhook: ${error.message}`));
  }
  return failures.join('; ');
}

function runCommand([program = '', ...args]: string[], input: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'ignore'], timeout: NOTIFY_MS });
    child.once('error', (error) => reject(new Error(`command: ${error.message}`)));
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`command ended with ${code}`))));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
