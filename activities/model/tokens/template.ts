import { Template } from '@huggingface/jinja';
import { WideseekError } from '../../../domain/errors.ts';
import type { ToolSchema } from '../../../domain/agents/messages.ts';
import { honourStripArguments, STRIP_FUNCTIONS } from './strip.ts';

/** A message in the form that chat templates read. */
export interface TemplateMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  reasoning_content?: string;
  tool_calls?: {
    id: string;
    type: 'function';
    /** An object where the arguments are one; text is written as it is. */
    function: { name: string; arguments: unknown };
  }[];
  tool_call_id?: string;
  name?: string;
}

export interface RenderOptions {
  /** Ends the text where the assistant's next message begins. */
  addGenerationPrompt: boolean;
  /** Further variables of the template, e.g. `{"enable_thinking": false}`. */
  variables?: Readonly<Record<string, unknown>>;
}

export type Render = (
  messages: readonly TemplateMessage[],
  tools: readonly ToolSchema[],
  options: RenderOptions,
) => string;

/**
 * Compiles a Jinja chat template. `tokens` are the special tokens by name (`bos_token`, …). Throws `ConfigError` naming
 * `where` for a template that cannot be read; rendering throws it where the template refuses the conversation.
 */
export function compileTemplate(
  source: string,
  tokens: Readonly<Record<string, string>>,
  where: string,
): Render {
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      throw new WideseekError('ConfigError', `${where}: ${said.slice(0, 300)}`, {
        hint: 'The chat template of the model must support system and tool messages',
      });
    }
  };
  const template = attempt(() => new Template(source));
  honourStripArguments(template.parsed);
  return (messages, tools, { addGenerationPrompt, variables }) =>
    attempt(() =>
      template.render({
        ...STRIP_FUNCTIONS,
        ...tokens,
        ...variables,
        messages,
        tools: tools.length > 0 ? tools.map((tool) => ({ type: 'function', function: tool })) : null,
        add_generation_prompt: addGenerationPrompt,
      }),
    );
}
