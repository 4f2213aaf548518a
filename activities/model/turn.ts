import { Context } from '@temporalio/activity';
import { parseCalls, parseCallsReference } from '../../domain/agents/calls.ts';
import type { AssistantMessage, Message } from '../../domain/agents/messages.ts';
import { outcomeOf } from '../../domain/agents/outcome.ts';
import { noUsage, type TurnInput, type TurnResult } from '../../domain/agents/plan.ts';
import { sizeOfMessage } from '../../domain/agents/transcript.ts';
import { WideseekError } from '../../domain/errors.ts';
import type { StopReason } from '../../domain/run.ts';
import type { ModelConfig } from '../../configs/schema.ts';
import { withTypedFailures } from '../failures.ts';
import { isContextOverflow } from '../provider-errors.ts';
import type { PlanDocument } from '../run/plan.ts';
import type { Store } from '../store/port.ts';
import { createConversation } from './conversation.ts';
import type { ChatModel, ModelReply } from './port.ts';
import { costMicroUsd } from './pricing.ts';
import { createTokenLedger, type LastTurn, type RecordedReply } from './tokens/ledger.ts';
import { turnKey } from './turn-key.ts';

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
/** Replies that wait in memory for a store that refuses them; more than one process has calls open at once. */
const MAX_UNRECORDED = 2_000;

/**
 * `takeTurn`: one model call of one agent. Appends what happened since the last turn, reserves the worst case,
 * calls, records the reply before anything else can fail, settles, and returns facts. A retry whose call had
 * returned finds the recorded reply and calls nothing.
 */
export function createModelActivities(deps: ModelDeps) {
  const { store } = deps;
  const conversation = createConversation(store);
  const ledger = createTokenLedger(store);
  const unrecorded = new Map<string, ModelReply>();

  async function takeTurn(input: TurnInput): Promise<TurnResult> {
    const plan = await deps.plans(input.planRef);
    const endpoint = plan.config.models[input.role] ?? plan.config.models.default;
    const model = deps.model(endpoint);
    const prepared = await conversation.prepare(input, plan);
    const { head, messages, tools } = prepared;
    const last = model.exactTokens && prepared.grows ? await ledger.lastTurn(input) : null;
    const promptTokens = last ? sizeAfter(last, messages) : prepared.promptTokens;
    const refuse = async (reason: StopReason): Promise<TurnResult> => {
      if (model.exactTokens) await ledger.refuse(input, reason);
      return { kind: 'refused', reason, head };
    };
    const room = input.limits.contextTokens - promptTokens;
    if (room < LEAST_REPLY) return await refuse('context_limit');

    const key = turnKey(input.agentId, input.turn, head, input.mustAnswer);
    const maxTokens = Math.min(room, input.limits.replyTokens);
    let reply = (await store.journal.recall(key)) as RecordedReply | undefined;
    if (!reply && unrecorded.has(key)) reply = await keepRecord(key, input.runId, unrecorded.get(key)!, last);
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
      if (!fits) return await refuse('budget');
      let fresh: ModelReply;
      try {
        const ids = await last?.tokens();
        fresh = await model.complete(
          {
            messages,
            tools,
            maxTokens,
            temperature: endpoint.temperature,
            seed: endpoint.seed,
            session: input.agentId,
            contextTokens: input.limits.contextTokens,
            previous: ids ? { messages: repliedMessages(messages), ...ids } : null,
          },
          Context.current().cancellationSignal,
        );
      } catch (error) {
        if (reserves) await store.budgets.release(input.runId, key);
        if (isContextOverflow(error)) return await refuse('context_limit');
        throw error;
      }
      reply = await keepRecord(key, input.runId, fresh, last);
    }
    const cost = costMicroUsd(reply.usage, endpoint.prices);
    await store.budgets.settle(input.runId, key, {
      tokens: reply.usage.promptTokens + reply.usage.completionTokens,
      microUsd: cost,
    });
    const offered = tools.map((tool) => tool.name);
    const result = await describeTurn(input, plan, offered, head, reply, model.name, cost);
    if (reply.tokens) await ledger.record(input, reply.tokens, result);
    return result;
  }

  /**
   * Records a reply, also while the store refuses writes for now (full disk, lock): a reply that has been paid for
   * would otherwise be bought again. After `KEEP_MS` the store's error is for Temporal to see and to retry; the
   * next attempt in this process still has the reply. Returns what is recorded: of two attempts at one turn, such as
   * one that was given up and still ran, the first wins.
   */
  async function keepRecord(
    key: string,
    runId: string,
    reply: ModelReply,
    last: LastTurn | null,
  ): Promise<RecordedReply> {
    unrecorded.set(key, reply);
    // The oldest go first: a store that stays away must not fill the memory.
    if (unrecorded.size > MAX_UNRECORDED) unrecorded.delete(unrecorded.keys().next().value!);
    for (const giveUpAt = Date.now() + KEEP_MS; ;) {
      try {
        const packed = await ledger.pack(reply, last);
        await store.journal.record(key, runId, packed);
        const kept = packed.tokens ? await store.journal.recall(key) : packed;
        unrecorded.delete(key);
        return kept as RecordedReply;
      } catch (error) {
        if (!(error instanceof WideseekError) || !error.retryable || Date.now() > giveUpAt) throw error;
        await Context.current().sleep(250);
      }
    }
  }

  async function describeTurn(
    input: TurnInput,
    plan: PlanDocument,
    offered: readonly string[],
    head: string,
    reply: RecordedReply,
    model: string,
    microUsd: number,
  ): Promise<Extract<TurnResult, { kind: 'turn' }>> {
    const { message, text, ...facts } = input.limits.rules
      ? outcomeOf(reply.message, {
          ...{ role: input.role, turn: input.turn, max: input.limits.requests, tools: offered },
          reading: input.long?.reading ?? false,
          mustAnswer: input.mustAnswer,
          answer: plan.answer,
          topK: input.limits.rules.topK,
        })
      : plainOutcome(reply.message, input);
    const { promptTokens, completionTokens } = reply.usage;
    return {
      kind: 'turn',
      head: await store.conversations.append(head, [message]),
      facts: {
        ...facts,
        truncated: reply.finishReason === 'length',
        contextTokens: promptTokens + completionTokens,
        ...(input.limits.rules ? { generated: completionTokens } : {}),
      },
      textRef: text === null ? null : await store.put(text),
      usage: { ...noUsage(), promptTokens, completionTokens, modelCalls: 1, microUsd },
      model,
    };
  }

  return { takeTurn: withTypedFailures('model', takeTurn) };
}

export type ModelActivities = ReturnType<typeof createModelActivities>;

/** What a reply of a lead, subagent or single agent without rules amounts to: its text is the answer where it calls nothing. */
function plainOutcome(reply: AssistantMessage, input: TurnInput) {
  const message = input.profile === 'reference' ? firstCallOnly(reply) : reply;
  const parse = input.profile === 'reference' ? parseCallsReference : parseCalls;
  const { requests, problems } = input.mustAnswer
    ? { requests: [], problems: [] }
    : parse(input.role, message, input.limits.requests, input.mayAsk);
  const text = message.content.trim();
  return { message, requests, problems, answered: text !== '', text: text === '' ? null : text };
}

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

/** How many of the messages a model that works on ids has seen: up to its last reply. */
const repliedMessages = (messages: readonly Message[]): number =>
  messages.findLastIndex(({ role }) => role === 'assistant') + 1;

/** Tokens of a conversation whose past is counted exactly and whose new messages are estimated. */
function sizeAfter(last: LastTurn, messages: readonly Message[]): number {
  const { promptTokens, responseTokens } = last.document.tokens;
  const fresh = messages.slice(repliedMessages(messages));
  return promptTokens + responseTokens + fresh.reduce((sum, message) => sum + sizeOfMessage(message), 0);
}
