import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { ModelConfig, RunConfig } from '../../configs/schema.ts';
import { messageSchema } from '../../domain/agents/messages.ts';
import type { Plan, SummaryInput, ToolResult } from '../../domain/agents/plan.ts';
import { summaryMessages } from '../../domain/agents/summary-prompt.ts';
import { estimateTokens } from '../../domain/agents/text.ts';
import { invalidInput } from '../../domain/errors.ts';
import { withTypedFailures } from '../failures.ts';
import { createPaidCalls } from '../model/paid-call.ts';
import type { ChatModel } from '../model/port.ts';
import { toWideseekError } from '../provider-errors.ts';
import type { PlanDocument } from '../run/plan.ts';
import { sha256 } from '../store/hashing.ts';
import type { Store } from '../store/port.ts';
import { type PagePart, splitPage } from './page-parts.ts';
import { fenced, oneLine, printHead, printShown } from './print.ts';

/** The model that summarises pages for a run, and where its calls go. */
export interface Summariser {
  model: ChatModel;
  endpoint: Pick<ModelConfig, 'temperature' | 'seed' | 'prices' | 'timeoutSeconds'>;
  /** Task queue of its calls; null: the workflow's own worker makes them. */
  queue: string | null;
}

export interface SummaryDeps {
  store: Store;
  plans: (planRef: string) => Promise<PlanDocument>;
  /** Null: no model is there that could. */
  summariser: (config: RunConfig) => Summariser | null;
}

/** Whether a run wants summaries: where it says so, where it names a summariser, and in the reference as published. */
export const wantsSummary = ({ search, models, agents }: RunConfig): boolean =>
  search.summary.on ?? (models.summariser !== undefined || agents.profile === 'reference');

/** Where a run's pages are summarised; undefined: nowhere. Throws `InvalidInput` where they must be and cannot. */
export function planSummary(config: RunConfig, summariser: SummaryDeps['summariser']): Plan['summary'] {
  if (!wantsSummary(config)) return undefined;
  const found = summariser(config);
  if (found) return { queue: found.queue, seconds: found.endpoint.timeoutSeconds };
  if (!config.search.summary.on) return undefined;
  const hint = 'Name one: models.summariser, or WIDESEEK_JUDGE_URL or WIDESEEK_MODEL_URL';
  throw invalidInput('search.summary.on', 'there is no model that could summarise pages', hint);
}

const recordSchema = z.object({
  message: messageSchema.transform((message, context) => {
    if (message.role === 'assistant') return message;
    context.addIssue('is no reply');
    return z.NEVER;
  }),
  finishReason: z.enum(['stop', 'length', 'tool_calls']),
  usage: z.object({ promptTokens: z.number(), completionTokens: z.number() }),
});

/** What `readPage` leaves for the summary: the page by reference, so that workflow history stays small. */
export const sourceSchema = z.object({ url: z.string(), title: z.string(), ref: z.string() });

/**
 * `summarisePage` (spec 2.9): a model reads the page in the agent's place and reports what bears on its intent. The call
 * has an activity of its own, so that it goes through its endpoint's queue and its retry does not fetch the page again.
 * Whatever keeps it from a summary (outage, budget, an empty reply), the agent gets the page's text and is told why; what
 * cells cite is the stored page in either case. A retryable failure is thrown while there are attempts left.
 */
export function createSummaryActivities(deps: SummaryDeps) {
  const { store } = deps;
  const pay = createPaidCalls(store, (recorded) => recordSchema.safeParse(recorded).data);

  async function summarisePage(input: SummaryInput): Promise<ToolResult> {
    const { cancellationSignal, info } = Context.current();
    const { question, config } = await deps.plans(input.planRef);
    const { pageTokens, replyTokens } = config.search.summary;
    const source = sourceSchema.parse(JSON.parse(await store.get(input.source)));
    const part = splitPage({ ...source, text: await store.get(source.ref) }, input.request.page, pageTokens);
    const store_ = async (text: string, more: Partial<ToolResult> = {}): Promise<ToolResult> => ({
      status: 'ok',
      part: { kind: 'stored', ref: await store.put(text) },
      ...more,
    });
    const asText = (why: string): Promise<ToolResult> =>
      store_(printWithout(part, why, config.search.pageTokens));

    const summariser = deps.summariser(config);
    if (!summariser) return asText('no model is configured for it');
    const { model, endpoint } = summariser;
    const { intent } = input.request;
    const messages = summaryMessages({ language: input.language, intent, question, ...part });
    const facts = [input.runId, input.agentId, model.name, source.ref, part.part, intent, pageTokens];
    const { usd, tokens } = config.budget;
    try {
      const paid = await pay(
        {
          key: `summary:${sha256(JSON.stringify(facts))}`,
          runId: input.runId,
          complete: () =>
            model.complete(
              {
                messages,
                tools: [],
                maxTokens: replyTokens,
                temperature: endpoint.temperature,
                seed: endpoint.seed,
                session: `${input.agentId}/summary`,
              },
              cancellationSignal,
            ),
          pack: (reply) => Promise.resolve(reply),
          worst: {
            promptTokens: messages.reduce((sum, { content }) => sum + estimateTokens(content) + 6, 0),
            completionTokens: replyTokens,
          },
          prices: endpoint.prices,
          ceiling: { tokens, microUsd: usd === null ? null : Math.round(usd * 1_000_000) },
        },
        cancellationSignal,
      );
      if (paid === 'budget') return await asText("the run's budget has no room for it");
      const { reply, usage } = paid;
      const text = reply.message.content.trim();
      if (text === '') return { ...(await asText('the reply was empty')), usage };
      return await store_(printSummary(part, text, reply.finishReason === 'length'), { usage });
    } catch (error) {
      cancellationSignal.throwIfAborted();
      const failure = toWideseekError(error, 'summariser');
      if (failure.retryable && info.attempt < input.attempts) throw failure;
      return asText(`the summariser failed: ${failure.type}`);
    }
  }

  return { summarisePage: withTypedFailures('summariser', summarisePage) };
}

export type SummaryActivities = ReturnType<typeof createSummaryActivities>;

/** A summary in the place of the page's text, fenced like it: it is made of what the page says. */
function printSummary(part: PagePart, text: string, cut: boolean): string {
  const note = cut ? '\n(the summary was cut at its limit)' : '';
  return `${printHead(part)}\nSummary of what this page says:\n${fenced(text)}${note}`;
}

const printWithout = (part: PagePart, why: string, tokens: number): string =>
  `${printHead(part)}\n(No summary: ${oneLine(why)}. The text of the page follows.)\n${printShown(part.text, tokens)}`;
