import { z } from 'zod';
import type { Message, ToolCall, ToolSchema } from '../../domain/agents/messages.ts';
import { escapeControlText } from './control-text.ts';

/**
 * Name of a call whose block could not be read and does not even begin with a name. Its `arguments` are the raw
 * text between the tags, so that the agent machine can show the model what was wrong; no tool has this name.
 */
export const MALFORMED_CALL = '<malformed>';

/** A message as the Hermes text form puts it on the wire: no tool role, no tool_calls. */
export interface PlainMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';

/** The part of the system message that tells the model which tools there are and how to call them. */
export function renderTools(tools: readonly ToolSchema[]): string {
  const lines = tools.map((tool) => JSON.stringify({ type: 'function', function: tool }));
  return [
    '# Tools',
    'You have the tools below, one JSON object a line: a name, what the tool does, and the JSON Schema of its arguments.',
    `<tools>\n${lines.join('\n')}\n</tools>`,
    'To call a tool, write a block of exactly this form; several blocks are several calls. End your message after the last one.',
    `${OPEN}\n{"name": "<name of the tool>", "arguments": {<its arguments as JSON>}}\n${CLOSE}`,
    'The results arrive in the next message, one <tool_response> block per call, in the order of the calls.',
  ].join('\n\n');
}

/**
 * Messages in the Hermes text form. Tools stand in the system message; earlier calls are written as the model
 * wrote them; results go into user messages inside `<tool_response>`, and neighbours that are both the
 * user's are joined, because many chat templates refuse two in a row. What comes from outside is neutralised,
 * so that only we write control text.
 */
export function toHermesMessages(
  messages: readonly Message[],
  tools: readonly ToolSchema[],
  sendReasoning: boolean,
): PlainMessage[] {
  const plain: PlainMessage[] = [];
  const push = (role: PlainMessage['role'], content: string): void => {
    const last = plain.at(-1);
    if (last && last.role === role) last.content += `\n\n${content}`;
    else plain.push({ role, content });
  };
  for (const message of messages) {
    if (message.role === 'system') push('system', message.content);
    else if (message.role === 'user') push('user', escapeControlText(message.content));
    else if (message.role === 'tool')
      push('user', `<tool_response>\n${escapeControlText(message.content)}\n</tool_response>`);
    else {
      const thought =
        sendReasoning && message.reasoning
          ? `<think>\n${escapeControlText(message.reasoning)}\n</think>\n\n`
          : '';
      const blocks = (message.toolCalls ?? []).map(renderCall);
      push('assistant', thought + [escapeControlText(message.content), ...blocks].filter(Boolean).join('\n'));
    }
  }
  if (tools.length === 0) return plain;
  const [first] = plain;
  if (first?.role === 'system') first.content = joinText(first.content, renderTools(tools));
  else plain.unshift({ role: 'system', content: renderTools(tools) });
  return plain;
}

const joinText = (...parts: string[]): string => parts.filter(Boolean).join('\n\n');

/** The call as text. Arguments that are no JSON are repeated as they were: the correction refers to them. */
function renderCall(call: ToolCall): string {
  const body =
    call.name === MALFORMED_CALL
      ? call.arguments
      : `{"name": ${JSON.stringify(call.name)}, "arguments": ${call.arguments}}`;
  // In JSON `<` stands only inside strings, where its escape means the same.
  return `${OPEN}\n${body.replaceAll(/<(?=[/|｜]|tool_|think)/g, '\\u003c')}\n${CLOSE}`;
}

/**
 * Text and calls of a reply in the Hermes form; `text` must already be free of reasoning, so that a call that the
 * model only thought of is not made. All blocks count. A block that is broken JSON, or cut by the limit, keeps
 * the name that it begins with, and its arguments are what follows, which is no JSON object; where it has no
 * name it is a `MALFORMED_CALL`. An unclosed block that reads well is taken, because some servers stop at the
 * closing tag and drop it.
 * `idPrefix` makes the ids `<prefix>_<index>`.
 */
export function parseHermes(text: string, idPrefix: string): { content: string; calls: ToolCall[] } {
  const calls: ToolCall[] = [];
  const content: string[] = [];
  let rest = text;
  for (let open = rest.indexOf(OPEN); open >= 0; open = rest.indexOf(OPEN)) {
    content.push(rest.slice(0, open));
    const body = rest.slice(open + OPEN.length);
    const end = endOfBlock(body);
    calls.push({ id: `${idPrefix}_${calls.length}`, ...readCall(body.slice(0, end.at).trim()) });
    rest = body.slice(end.next);
  }
  // A closing tag on its own is the second half of a call that we do not have: say so instead of answering with it.
  if (calls.length === 0 && rest.includes(CLOSE)) {
    const raw = rest.slice(0, rest.indexOf(CLOSE)).trim();
    return { content: '', calls: [{ id: `${idPrefix}_0`, ...readCall(raw) }] };
  }
  content.push(rest);
  return { content: content.join('\n').replaceAll(CLOSE, '\n').trim(), calls };
}

/** A block ends at its closing tag, at the next opening tag where the model forgot it, or at the end of the text. */
function endOfBlock(body: string): { at: number; next: number } {
  const close = body.indexOf(CLOSE);
  const open = body.indexOf(OPEN);
  if (close >= 0 && (open < 0 || close < open)) return { at: close, next: close + CLOSE.length };
  const at = open < 0 ? body.length : open;
  return { at, next: at };
}

const callSchema = z.looseObject({
  name: z.string().trim().min(1),
  arguments: z.unknown().optional(),
  /** Llama's name for the same thing. */
  parameters: z.unknown().optional(),
});

function readCall(raw: string): Pick<ToolCall, 'name' | 'arguments'> {
  const parsed = callSchema.safeParse(parseJson(raw));
  if (!parsed.success) return readBroken(raw);
  const { name, arguments: given, parameters } = parsed.data;
  const value = given ?? parameters ?? {};
  // Some models write the arguments as a string of JSON: its text is what they mean.
  return { name, arguments: typeof value === 'string' ? value : JSON.stringify(value) };
}

/**
 * The name and the rest of a broken block. The block's last brace is dropped, so that what remains is never a
 * whole JSON object: a broken call must be corrected, not guessed at and made.
 */
function readBroken(raw: string): Pick<ToolCall, 'name' | 'arguments'> {
  const [, name, rest] =
    /^\{\s*"name"\s*:\s*"([\w.-]+)"\s*,\s*"(?:arguments|parameters)"\s*:\s*([^]*)$/.exec(raw) ?? [];
  if (name === undefined || rest === undefined) return { name: MALFORMED_CALL, arguments: raw };
  return { name, arguments: rest.replace(/\}$/, '') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
