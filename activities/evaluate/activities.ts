import { METRIC_VERSION } from '../judge/document.ts';
import type { SampleScore, ScoreSampleInput } from '../judge/activities.ts';
import { aggregate } from '../../domain/scoring/aggregate.ts';
import { BOOTSTRAP_SEED, seededRandom } from '../../domain/scoring/bootstrap.ts';
import { noUsage } from '../../domain/agents/plan.ts';
import { seekResultSchema, type StopReason } from '../../domain/run.ts';
import type { EvaluationItem, EvaluationPlan } from '../../domain/scoring/evaluation-plan.ts';
import {
  type EvaluationOutcome,
  sampleKey,
  type SampleRecord,
  sampleRecordSchema,
  samplesCollection,
} from '../../domain/scoring/samples.ts';
import { countTurns } from '../../domain/scoring/turn-counts.ts';
import { withTypedFailures } from '../failures.ts';
import { gateRun, type GateVerdict } from './gate.ts';
import { type Manifest, manifestSchema, type PrepareDeps, prepareEvaluation } from './prepare.ts';

/** What became of one item, as the workflow knows it. */
export interface ItemOutcome {
  resultRef: string | null;
  stopReason: StopReason | null;
  wallMs: number;
  score: SampleScore | null;
  /** Why there is no score, or empty. */
  reason: string;
}

/** Stop reasons that say something about the infrastructure and nothing about the answer. */
const OUTAGES: ReadonlySet<StopReason | null> = new Set<StopReason | null>([
  'model_outage',
  'tool_outage',
  'cancelled',
]);

/** Activities of the `evaluate` workflow. */
export function createEvaluateActivities(deps: PrepareDeps) {
  const { store } = deps;
  const manifests = new Map<string, Manifest>();

  async function manifestOf(ref: string): Promise<Manifest> {
    const known = manifests.get(ref);
    if (known) return known;
    if (manifests.size > 8) manifests.clear();
    const manifest = manifestSchema.parse(JSON.parse(await store.get(ref)));
    manifests.set(ref, manifest);
    return manifest;
  }

  /** Records of an evaluation's samples, by key. */
  async function recordsOf(runId: string): Promise<Map<string, SampleRecord>> {
    const documents = await store.documents.list(samplesCollection(runId));
    return new Map(documents.map(({ key, value }) => [key, sampleRecordSchema.parse(value)]));
  }

  /** Items `from` to `from + count` that still need work: scored ones are left out, answered ones only need a score. */
  async function nextItems(plan: EvaluationPlan, from: number, count: number): Promise<EvaluationItem[]> {
    const manifest = await manifestOf(plan.manifestRef);
    const items: EvaluationItem[] = [];
    for (let index = from; index < Math.min(plan.total, from + count); index++) {
      // All questions once, then all a second time: an early look at a run covers the whole set.
      const question = manifest.questions[index % manifest.questions.length]!;
      const sample = Math.floor(index / manifest.questions.length);
      const stored = await store.documents.get(samplesCollection(plan.runId), sampleKey(question.id, sample));
      const known = stored === undefined ? null : sampleRecordSchema.parse(stored);
      if (known?.scores) continue;
      const reusable = known !== null && known.questionRef === question.ref && !OUTAGES.has(known.stopReason);
      items.push({
        questionId: question.id,
        questionRef: question.ref,
        sample,
        resultRef: reusable ? known.resultRef : null,
        question: question.text,
        config: manifest.config,
        set: {
          answer: question.kind === 'table' ? 'table' : 'boxed',
          language: question.language,
          ...manifest.set,
        },
      });
    }
    return items;
  }

  /** Input of the scoring activity for one answer. */
  async function scoringOf(
    plan: EvaluationPlan,
    questionRef: string,
    resultRef: string | null,
  ): Promise<ScoreSampleInput> {
    const { judge, compat } = await manifestOf(plan.manifestRef);
    return { runId: plan.runId, questionRef, resultRef, judge, compat, metricVersion: METRIC_VERSION };
  }

  /** Stores one sample at once, scored or not. */
  async function recordSample(
    plan: EvaluationPlan,
    item: EvaluationItem,
    outcome: ItemOutcome,
  ): Promise<void> {
    const manifest = await manifestOf(plan.manifestRef);
    const question = manifest.questions.find((one) => one.id === item.questionId)!;
    const result =
      outcome.resultRef === null
        ? null
        : seekResultSchema.parse(JSON.parse(await store.get(outcome.resultRef)));
    const { score } = outcome;
    const record: SampleRecord = {
      questionId: item.questionId,
      language: question.language,
      kind: question.kind,
      sample: item.sample,
      workflowId: `${plan.workflowId}/${item.questionId}/${item.sample}`,
      questionRef: item.questionRef,
      resultRef: outcome.resultRef,
      stopReason: result?.stopReason ?? outcome.stopReason,
      status: score?.status ?? 'unscored',
      reason: score?.reason ?? outcome.reason,
      scores: score?.scores ?? null,
      scoreRef: score?.scoreRef ?? null,
      usage: result?.usage ?? noUsage(),
      agents: result?.agents ?? 0,
      turns: result?.turns ?? 0,
      ...(result?.agentTurns ? { turnCounts: countTurns(result.agentTurns) } : {}),
      wallMs: outcome.wallMs,
    };
    await store.documents.put(samplesCollection(plan.runId), sampleKey(item.questionId, item.sample), record);
  }

  /** Aggregates what is stored; equal samples give an equal document. */
  async function summarise(plan: EvaluationPlan): Promise<EvaluationOutcome> {
    const records = [...(await recordsOf(plan.runId)).values()];
    const summary = aggregate(
      records.map(({ questionId, language, status, scores }) => ({
        question: questionId,
        language,
        status,
        values: scores,
      })),
      { k: plan.samples, random: seededRandom(BOOTSTRAP_SEED) },
    );
    const scored = records.filter((record) => record.scores !== null).length;
    const metricRef = await store.put(JSON.stringify(summary));
    const complete = scored >= plan.total;
    const run = await store.runs.get(plan.runId);
    if (run)
      await store.runs.save({
        ...run,
        status: complete ? 'ok' : 'partial',
        finishedAt: deps.now(),
        resultRef: metricRef,
      });
    const headline = Object.entries(summary.all.metrics).flatMap(([name, metric]) => [
      [`${name}.avg`, metric.avg.mean] as const,
      [`${name}.max`, metric.max.mean] as const,
    ]);
    return {
      runId: plan.runId,
      complete,
      samples: records.length,
      scored,
      unscored: records.length - scored,
      headline: Object.fromEntries(headline),
      metricRef,
    };
  }

  /** Compares with the last good run, remembers a good one, tells whom the configuration names. */
  async function gate(plan: EvaluationPlan, outcome: EvaluationOutcome): Promise<GateVerdict> {
    const { notify } = await manifestOf(plan.manifestRef);
    return gateRun({ store, recordsOf, notify, env: deps.env }, plan, outcome);
  }

  return {
    prepareEvaluation: withTypedFailures(
      'evaluation',
      (...args: Parameters<typeof prepareEvaluation> extends [unknown, ...infer R] ? R : never) =>
        prepareEvaluation(deps, ...args),
    ),
    nextItems: withTypedFailures('store', nextItems),
    scoringOf: withTypedFailures('store', scoringOf),
    recordSample: withTypedFailures('store', recordSample),
    summarise: withTypedFailures('store', summarise),
    gate: withTypedFailures('evaluation', gate),
  };
}

export type EvaluateActivities = ReturnType<typeof createEvaluateActivities>;
