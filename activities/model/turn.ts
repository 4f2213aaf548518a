import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { parseCalls, parseCallsReference } from '../../domain/agents/calls.ts';
import type { AssistantMessage } from '../../domain/agents/messages.ts';
import { noUsage, type TurnInput, type TurnResult } from '../../domain/agents/plan.ts';
import { WideseekError } from '../../domain/errors.ts';
import type { ModelConfig } from '../../configs/schema.ts';
import { withTypedFailures } from '../failures.ts';
import { isContextOverflow } from '../provider-errors.ts';
import type { PlanDocument } from '../run/plan.ts';
import type { Store } from '../store/port.ts';
import { createConversation } from './conversation.ts';
import type { ChatModel, ModelReply } from './port.ts';
import { costMicroUsd } from './pricing.ts';

export interface ModelDeps {
  store: Store;
  plans: (planRef: string) => Promise<PlanDocument>;
  /** The model behind a configured endpoint; the same object for the same configuration. */
  model: (config: ModelConfig) => ChatModel;
}

/** Fewer tokens than this are no room for a reply. */
const LEAST_REPLY = 16;
/** How long an attempt tries to record its reply; less than an activity's slack after its call. */
const KEEP_MS = 10_000;

/**
 * `takeTurn`: one model call of one agent. Appends what happened since the last turn, reserves the worst case,
 * calls, records the reply before anything else can fail, settles, and returns facts. A retry whose call had
 * returned finds the recorded reply and calls nothing.
 */
export function createModelActivities(deps: ModelDeps) {
  const { store } = deps;
  const conversation = createConversation(store);
  const unrecorded = new Map<string, ModelReply>();

  async function takeTurn(input: TurnInput): Promise<TurnResult> {
    const plan = await deps.plans(input.planRef);
    const endpoint = plan.config.models[input.role] ?? plan.config.models.default;
    const model = deps.model(endpoint);
    const { head, messages, tools, promptTokens } = await conversation.prepare(input, plan);
    const room = input.limits.contextTokens - promptTokens;
    if (room < LEAST_REPLY) return { kind: 'refused', reason: 'context_limit', head };

    const key = `turn:${sha256(JSON.stringify([input.agentId, input.turn, head, input.mustAnswer]))}`;
    const maxTokens = Math.min(room, input.limits.replyTokens);
    let reply = (await store.journal.recall(key)) as ModelReply | undefined;
    if (!reply && unrecorded.has(key)) {
      reply = unrecorded.get(key)!;
      await keepRecord(key, input.runId, reply);
    }
    if (!reply) {
      const worst = { promptTokens, completionTokens: maxTokens };
      const ceiling = ceilingOf(plan);
      // Without a ceiling there is nothing to hold free; what the call cost is settled all the same.
      const reserves = ceiling.tokens !== null || ceiling.microUsd !== null;
      const fits =
        !reserves ||
        (await store.budgets.reserve(
          input.runId,
          key,
          { tokens: promptTokens + maxTokens, microUsd: costMicroUsd(worst, endpoint.prices) },
          ceiling,
        ));
      if (!fits) return { kind: 'refused', reason: 'budget', head };
      try {
        reply = await model.complete(
          {
            messages,
            tools,
            maxTokens,
            temperature: endpoint.temperature,
            seed: endpoint.seed,
            session: input.agentId,
          },
          Context.current().cancellationSignal,
        );
      } catch (error) {
        if (reserves) await store.budgets.release(input.runId, key);
        if (isContextOverflow(error)) return { kind: 'refused', reason: 'context_limit', head };
        throw error;
      }
      await keepRecord(key, input.runId, reply);
    }
    const cost = costMicroUsd(reply.usage, endpoint.prices);
    await store.budgets.settle(input.runId, key, {
      tokens: reply.usage.promptTokens + reply.usage.completionTokens,
      microUsd: cost,
    });
    return await describeTurn(input, head, reply, model.name, cost);
  }

  /**
   * Records a reply, also while the store refuses writes for now (full disk, lock): a reply that has been paid for
   * would otherwise be bought again. After `KEEP_MS` the store's error is for Temporal to see and to retry; the
   * next attempt in this process still has the reply.
   */
  async function keepRecord(key: string, runId: string, reply: ModelReply): Promise<void> {
    unrecorded.set(key, reply);
    for (const giveUpAt = Date.now() + KEEP_MS; ;) {
      try {
        await store.journal.record(key, runId, reply);
        return void unrecorded.delete(key);
      } catch (error) {
        if (!(error instanceof WideseekError) || !error.retryable || Date.now() > giveUpAt) throw error;
        await Context.current().sleep(250);
      }
    }
  }

  async function describeTurn(
    input: TurnInput,
    head: string,
    reply: ModelReply,
    model: string,
    microUsd: number,
  ): Promise<TurnResult> {
    const message = input.profile === 'reference' ? firstCallOnly(reply.message) : reply.message;
    const parse = input.profile === 'reference' ? parseCallsReference : parseCalls;
    const { requests, problems } = input.mustAnswer
      ? { requests: [], problems: [] }
      : parse(input.role, message, input.limits.requests);
    const text = message.content.trim();
    const { promptTokens, completionTokens } = reply.usage;
    return {
      kind: 'turn',
      head: await store.conversations.append(head, [message]),
      facts: {
        requests,
        problems,
        answered: text !== '',
        truncated: reply.finishReason === 'length',
        contextTokens: promptTokens + completionTokens,
      },
      textRef: text === '' ? null : await store.put(text),
      usage: { ...noUsage(), promptTokens, completionTokens, modelCalls: 1, microUsd },
      model,
    };
  }

  return { takeTurn: withTypedFailures('model', takeTurn) };
}

export type ModelActivities = ReturnType<typeof createModelActivities>;

/** The reference answers only the first call; providers refuse a conversation with unanswered ones. */
function firstCallOnly(message: AssistantMessage): AssistantMessage {
  return message.toolCalls && message.toolCalls.length > 1
    ? { ...message, toolCalls: message.toolCalls.slice(0, 1) }
    : message;
}

function ceilingOf(plan: PlanDocument): { tokens: number | null; microUsd: number | null } {
  const { tokens, usd } = plan.config.budget;
  return { tokens, microUsd: usd === null ? null : Math.round(usd * 1_000_000) };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
