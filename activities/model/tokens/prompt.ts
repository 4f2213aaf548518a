import type { AssistantMessage, Message } from '../../../domain/agents/messages.ts';
import { WideseekError } from '../../../domain/errors.ts';
import type { ModelRequest, PreviousTokens } from '../port.ts';
import { createGuard, toTemplateMessages } from './messages.ts';
import type { TemplateMessage } from './template.ts';
import type { ChatTokenizer } from './tokenizer.ts';

/** The ids of one turn's prompt. */
export interface Prompt {
  tokens: Int32Array;
  /** It does not continue the agent's last turn, because that is not known. */
  mismatch: boolean;
  /** The template itself opened the reply's reasoning: `<think>` is the end of the prompt. */
  thinks: boolean;
}

/** Stands for the earlier reply while the text after it is rendered. */
const REPLY = '\ue000reply\ue000';

/**
 * Builds prompts as ids. A first turn is the rendered conversation. Each later turn is what the model saw and wrote,
 * id for id, and the encoded text that the template puts after a reply: the rest of its end, tool results, the
 * start of the next reply. Nothing that was sampled is tokenised again and nothing earlier is changed, also where
 * the template would now strip reasoning or where the turn has other tools. Without the last turn's ids (`previous`
 * null or not ending at the request's last reply) everything is rendered anew and `mismatch` is set.
 * Throws `ConfigError` for a template that does not end a reply with a stop token.
 */
export function createPrompter(tokenizer: ChatTokenizer, variables: Readonly<Record<string, unknown>> = {}) {
  const guard = createGuard(tokenizer.controlTokens);
  const options = { addGenerationPrompt: true, variables };
  const stops = tokenizer.stopIds.map((id) => tokenizer.decode([id])).filter((text) => text !== '');
  const thinks = (text: string): boolean => /<think>\s*$/.test(text);

  return (request: ModelRequest): Prompt => {
    const { messages, tools } = request;
    const last = messages.findLastIndex(({ role }) => role === 'assistant');
    const previous = request.previous ?? null;
    if (last < 0 || previous === null || previous.messages !== last + 1) {
      const text = tokenizer.render(toTemplateMessages(messages, guard), tools, options);
      return { tokens: tokenizer.encode(text), mismatch: last >= 0, thinks: thinks(text) };
    }
    const ended = tokenizer.stopIds.includes(previous.responseTokens.at(-1) ?? -1);
    const text = afterReply(messages[last] as AssistantMessage, messages.slice(last + 1), ended);
    return { tokens: joined(previous, tokenizer.encode(text)), mismatch: false, thinks: thinks(text) };
  };

  /** Rendered without what came before the reply: templates write each message by itself and its neighbours. */
  function afterReply(reply: AssistantMessage, fresh: readonly Message[], ended: boolean): string {
    const calls = (reply.toolCalls ?? []).map((call) => ({ ...call, arguments: '{}' }));
    const [marked] = toTemplateMessages([{ role: 'assistant', content: '', toolCalls: calls }], guard);
    const conversation: TemplateMessage[] = [
      { role: 'user', content: '-' },
      { ...marked!, content: REPLY },
      ...toTemplateMessages(fresh, guard),
    ];
    const text = tokenizer.render(conversation, [], options);
    const rest = text.slice(text.indexOf(REPLY) + REPLY.length);
    const [close] = stops
      .map((stop) => ({ stop, at: rest.indexOf(stop) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at);
    if (!text.includes(REPLY) || close === undefined)
      throw new WideseekError(
        'ConfigError',
        'chat template: an assistant message does not end with a stop token',
        {
          hint: `Stop tokens are ${stops.join(', ')}; name the right one as eos_token in tokenizer_config.json`,
        },
      );
    return rest.slice(ended ? close.at + close.stop.length : close.at);
  }
}

function joined({ promptTokens, responseTokens }: PreviousTokens, added: Int32Array): Int32Array {
  const tokens = new Int32Array(promptTokens.length + responseTokens.length + added.length);
  tokens.set(promptTokens);
  tokens.set(responseTokens, promptTokens.length);
  tokens.set(added, promptTokens.length + responseTokens.length);
  return tokens;
}
