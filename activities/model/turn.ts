import { Context } from '@temporalio/activity';
import { parseCalls, parseCallsReference } from '../../domain/agents/calls.ts';
import type { AssistantMessage, Message } from '../../domain/agents/messages.ts';
import { outcomeOf } from '../../domain/agents/outcome.ts';
import type { TurnInput, TurnResult } from '../../domain/agents/plan.ts';
import { sizeOfMessage } from '../../domain/agents/transcript.ts';
import type { RunUsage, StopReason } from '../../domain/run.ts';
import type { ModelConfig } from '../../configs/schema.ts';
import { withTypedFailures } from '../failures.ts';
import { isContextOverflow } from '../provider-errors.ts';
import type { PlanDocument } from '../run/plan.ts';
import type { Store } from '../store/port.ts';
import { createConversation } from './conversation.ts';
import { createPaidCalls } from './paid-call.ts';
import type { ChatModel, ModelReply } from './port.ts';
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

/**
 * `takeTurn`: one model call of one agent. Appends what happened since the last turn, reserves the worst case,
 * calls, records the reply before anything else can fail, settles, and returns facts. A retry whose call had
 * returned finds the recorded reply and calls nothing.
 */
export function createModelActivities(deps: ModelDeps) {
  const { store } = deps;
  const conversation = createConversation(store);
  const ledger = createTokenLedger(store);
  // A record is one that this activity wrote.
  const pay = createPaidCalls(store, (recorded) => recorded as RecordedReply | undefined);

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
    const signal = Context.current().cancellationSignal;
    const complete = async (): Promise<ModelReply> => {
      const ids = await last?.tokens();
      return model.complete(
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
        signal,
      );
    };
    const paid = await pay(
      {
        ...{ key, runId: input.runId, prices: endpoint.prices, ceiling: ceilingOf(plan), complete },
        worst: { promptTokens, completionTokens: maxTokens },
        pack: (reply) => ledger.pack(reply, last),
      },
      signal,
    ).catch((error: unknown) => {
      if (isContextOverflow(error)) return 'context_limit' as const;
      throw error;
    });
    if (typeof paid === 'string') return await refuse(paid);
    const { reply, usage } = paid;
    const offered = tools.map((tool) => tool.name);
    const result = await describeTurn(input, plan, offered, head, reply, model.name, usage);
    if (reply.tokens) await ledger.record(input, reply.tokens, result);
    return result;
  }

  async function describeTurn(
    input: TurnInput,
    plan: PlanDocument,
    offered: readonly string[],
    head: string,
    reply: RecordedReply,
    model: string,
    usage: RunUsage,
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
      usage,
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
