import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { workflowBundle } from '../../workers/bundle.ts';
import { installRuntime } from '../support/engine.ts';
import { readRecordings, type Recording } from './recordings.ts';

type Bundle = NonNullable<WorkerOptions['workflowBundle']>;

/** What went wrong with each recording on the given code; undefined: it replays. */
async function replay(bundle: Bundle, recordings: Map<string, Recording>): Promise<Map<string, unknown>> {
  // A replay that fails is what some of these tests want; the SDK's core would print each one.
  installRuntime({ telemetryOptions: { logging: { filter: 'OFF' } } });
  const outcomes = new Map<string, unknown>();
  for (const [name, { workflowId, history }] of recordings) {
    const options = { workflowBundle: bundle };
    for await (const { error } of Worker.runReplayHistories(options, [{ workflowId, history }]))
      outcomes.set(name, error);
  }
  return outcomes;
}

const current = (): Promise<{ codePath: string }> => workflowBundle(join(tmpdir(), 'wideseek-test-bundles'));

describe('recorded histories', () => {
  const recordings = readRecordings();

  it('cover delegation, a lone agent, a subagent, cancellation, guidance and continue-as-new', () => {
    expect([...recordings.keys()]).toEqual(
      expect.arrayContaining([
        'mas-two-delegations',
        'sa',
        'subagent',
        'cancelled',
        'continued-as-new',
        'continued-as-new-1',
      ]),
    );
    const types = (name: string): unknown[] =>
      recordings.get(name)!.history.events.map(({ eventType }) => eventType);
    const children = types('mas-two-delegations').filter(
      (type) => type === 'EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED',
    );
    expect(children).toHaveLength(4);
    expect(types('continued-as-new-1').at(-1)).toBe('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
    expect(types('cancelled')).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED');
    expect(types('cancelled')).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED');
  });

  it('cover trainings, groups, evaluations, collections, supervised steps, indexing and a question asked back', () => {
    const events = (name: string): Record<string, unknown>[] => recordings.get(name)!.history.events;
    const count = (name: string, type: string): number =>
      events(name).filter(({ eventType }) => eventType === `EVENT_TYPE_WORKFLOW_EXECUTION_${type}`).length;
    expect(count('train', 'UPDATE_COMPLETED')).toBe(2);
    expect(count('train', 'SIGNALED')).toBeGreaterThanOrEqual(2);
    for (const training of ['train-continued-1', 'train-unpatched-1'])
      expect(count(training, 'CONTINUED_AS_NEW')).toBe(1);
    for (const name of ['train', 'train-continued', 'train-unpatched', 'rollout-group', 'evaluate-policy'])
      expect([name, count(name, 'COMPLETED')]).toEqual([name, 1]);
    for (const name of ['rollout', 'sft', 'evaluate', 'index-corpus'])
      expect([name, count(name, 'COMPLETED')]).toEqual([name, 1]);
    expect(count('clarify', 'UPDATE_COMPLETED')).toBe(1);
    // One was recorded before trainings knew the patch, so that both ways replay.
    const patches = (name: string): boolean => JSON.stringify(events(name)).includes('core_patch');
    expect([patches('train-unpatched'), patches('train-continued')]).toEqual([false, true]);
  });

  it('replay on the current workflow code', async () => {
    const outcomes = await replay(await current(), recordings);
    expect(Object.fromEntries(outcomes)).toEqual(
      Object.fromEntries([...recordings.keys()].map((name) => [name, undefined])),
    );
  }, 300_000);

  it('do not replay when a workflow starts something else than it did', async () => {
    const code = readFileSync((await current()).codePath, 'utf8');
    // One call of each kind of workflow.
    const calls = ['takeTurn', 'trainTo', 'recordGroup', 'recordEvaluation', 'planRollouts', 'sftTo'];
    let changed = code;
    for (const name of [...calls, 'prepareEvaluation', 'buildCorpus']) {
      expect(changed).toContain(name);
      changed = changed.replaceAll(name, `${name}Otherwise`);
    }
    const outcomes = await replay({ code: changed }, recordings);
    const replayed = [...outcomes].filter(([, error]) => !(error instanceof DeterminismViolationError));
    expect(replayed.map(([name]) => name)).toEqual([]);
  }, 300_000);

  it('do not replay when one of them asks for another child', async () => {
    const { workflowId, history } = recordings.get('mas-two-delegations')!;
    const events = structuredClone(history.events);
    const child = events.find(
      ({ eventType }) => eventType === 'EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED',
    )!;
    const attributes = child.startChildWorkflowExecutionInitiatedEventAttributes as { workflowId: string };
    attributes.workflowId = 'somebody/else';
    const edited = new Map([['edited', { workflowId, history: { ...history, events } }]]);
    expect((await replay(await current(), edited)).get('edited')).toBeInstanceOf(DeterminismViolationError);
  }, 300_000);
});
