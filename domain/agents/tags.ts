import type { ToolCall } from './messages.ts';

/** Tools that the tag dialect can call, in the order in which their tags are looked for (spec asearcher 1.0). */
const ACTIONS = ['search', 'access'] as const;
const OLD_QUERY = { open: '<|begin_of_query|>', close: '<|end_of_query|>' };

/**
 * Reads the tag dialect of search agents: `<search>…</search>`, `<access>…</access>`, `<answer>…</answer>`. The last
 * match of a tag wins, search before access before answer; a text that ends inside a tag is taken as closed there; what
 * follows an `<information>` that the model made up is ignored; tags inside `<think>` count only where nothing follows it.
 * `content` is the text without action tags, so that an action is never taken for an answer; an answer tag stays.
 */
export function parseTags(
  text: string,
  idPrefix: string,
): { content: string; calls: ToolCall[]; answer: string | null } {
  const written = text.replaceAll(OLD_QUERY.open, '<search>').replaceAll(OLD_QUERY.close, '</search>');
  const spoken = written.replace(/<think>[^]*?<\/think>/g, '');
  const own = cutInvented(/<(?:search|access|answer)>/.test(spoken) ? spoken : written);
  const call = ACTIONS.map((name) => ({ name, inner: lastTag(own, name) })).find(
    ({ inner }) => inner !== null,
  );
  const answer = lastTag(own, 'answer');
  const content = own
    .replace(/<(search|access)>(?:(?!<\/\1>)[^])*(?:<\/\1>|$)/g, '')
    .replace(/<\/?(?:search|access)>/g, '')
    .trim();
  if (!call) return { content, calls: [], answer };
  const argument = call.name === 'search' ? { query: call.inner } : { url: call.inner, info_to_extract: '' };
  return {
    content: content.replace(/<answer>[^]*?(?:<\/answer>|$)/g, '').trim(),
    calls: [{ id: `${idPrefix}_0`, name: call.name, arguments: JSON.stringify(argument) }],
    answer: null,
  };
}

/** A call as its tag; null where the dialect cannot say it. */
export function printTag(call: ToolCall): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(call.arguments);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { query, url } = parsed as { query?: unknown; url?: unknown };
  if (call.name === 'search' && typeof query === 'string') return `<search>${query}</search>`;
  return call.name === 'access' && typeof url === 'string' ? `<access>${url}</access>` : null;
}

/** Content of the last `<tag>`; closed at the end of the text where its end is missing. Null: none, or it is empty. */
export function lastTag(text: string, tag: string): string | null {
  const open = text.lastIndexOf(`<${tag}>`);
  if (open < 0) return null;
  const rest = text.slice(open + tag.length + 2);
  const close = rest.indexOf(`</${tag}>`);
  const inner = (close < 0 ? rest.split('</')[0]! : rest.slice(0, close)).trim();
  return inner === '' ? null : inner;
}

/** Models that are not stopped at a tag go on and invent the observation; nothing after that is theirs to say. */
function cutInvented(text: string): string {
  const at = text.indexOf('<information>');
  const acted = /<\/(?:search|access)>/.exec(text);
  return at >= 0 && acted !== null && acted.index < at ? text.slice(0, at) : text;
}
