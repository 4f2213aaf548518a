import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCorpus } from '../../configs/corpus-schema.ts';
import { loadRunConfig } from '../../configs/load.ts';
import type { Conclusion } from '../../activities/run/conclude.ts';
import { openCorpus } from '../../activities/corpus/open.ts';
import { expertModel } from '../../activities/datasets/mini/expert-model.ts';
import { miniQuestions } from '../../activities/datasets/mini/questions.ts';
import { scriptRollout } from '../../activities/datasets/mini/rollout.ts';
import { openMiniTokenizer, runConfigOf, type TraceKind } from '../../activities/datasets/mini/traces.ts';
import type { ChatModel } from '../../activities/model/port.ts';
import { type SeekResult, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { parseMarkdownTables } from '../../domain/tables/markdown.ts';
import { type Engine, startEngine, startTestServer, type TestServer } from '../support/engine.ts';

/** Remembers each agent's whole conversation as ids, by what its last turn had. */
function recording(model: ChatModel): ChatModel & { conversations: Map<string, string> } {
  const conversations = new Map<string, string>();
  return {
    ...model,
    conversations,
    complete: async (request, signal) => {
      const reply = await model.complete(request, signal);
      const { promptTokens, responseTokens } = reply.tokens!;
      conversations.set(request.session, [...promptTokens, ...responseTokens].join(' '));
      return reply;
    },
  };
}

describe('the miniature on a real Temporal server', { timeout: 120_000 }, () => {
  let server: TestServer;
  let engine: Engine;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(async () => {
    await engine?.stop();
    await server.stop();
  });

  it.each(['mas', 'sa'] as const)(
    'gives the ids that scripted rollouts give, agent by agent, and the same answer (%s)',
    async (kind: TraceKind) => {
      const config = runConfigOf(kind);
      const { agents } = await loadRunConfig(config);
      const tokenizer = await openMiniTokenizer();
      const search = await openCorpus(await loadCorpus('mini'), {
        indexDir: '',
        encoderFor: () => Promise.reject(new Error('no encoder')),
        env: {},
      });
      for (const [index, { question }] of miniQuestions('dev').slice(0, 2).entries()) {
        const model = recording(expertModel(tokenizer, `run-${index}`));
        await engine?.stop();
        engine = await startEngine(server.address, { model, search });
        const conclusion = (await server.client.workflow.execute('seek', {
          taskQueue: TASK_QUEUE,
          workflowId: seekWorkflowId(`mini-${kind}-${index}`),
          args: [{ question, config }],
        })) as Conclusion;
        const result = JSON.parse(await engine.store.get(conclusion.resultRef)) as SeekResult;

        const expected = await scriptRollout({
          question,
          agents,
          model: expertModel(tokenizer, `run-${index}`),
          search,
        });
        expect([...model.conversations.values()].sort()).toEqual(
          expected.map(({ tokens }) => tokens.join(' ')).sort(),
        );
        expect(result).toMatchObject({ status: 'ok', stopReason: 'answered', agents: expected.length });
        const [table] = parseMarkdownTables(expected[0]!.text);
        expect(result.table).toEqual({ columns: table!.columns, rows: table!.rows });
      }
    },
  );
});
