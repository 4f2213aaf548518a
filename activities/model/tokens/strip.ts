/** What we need to know of a node of the template library's syntax tree. */
interface Node {
  type?: string;
  [field: string]: unknown;
}

const METHODS = ['strip', 'lstrip', 'rstrip'] as const;
type Method = (typeof METHODS)[number];

/** Python's `text.strip(chars)` and its one-sided forms: takes characters of the set `chars` off the ends. */
export function stripChars(method: Method, text: string, chars: string): string {
  const set = new Set(chars);
  const letters = [...text];
  let start = 0;
  let end = letters.length;
  if (method !== 'rstrip') while (start < end && set.has(letters[start]!)) start += 1;
  if (method !== 'lstrip') while (end > start && set.has(letters[end - 1]!)) end -= 1;
  return letters.slice(start, end).join('');
}

/** Names that the rewritten calls go to; they are passed to every rendering. */
export const STRIP_FUNCTIONS: Readonly<Record<string, (text: string, chars: string) => string>> =
  Object.fromEntries(
    METHODS.map((method) => [
      `__${method}`,
      (text: string, chars: string) => stripChars(method, text, chars),
    ]),
  );

/**
 * The template library takes white space off whatever set of characters a template names: `text.lstrip('\n')` would
 * also drop the spaces of an indented first line. Rewrites such calls in place to functions that do as Python does.
 */
export function honourStripArguments(node: unknown): void {
  if (Array.isArray(node)) return node.forEach(honourStripArguments);
  if (typeof node !== 'object' || node === null) return;
  Object.values(node).forEach(honourStripArguments);
  const call = node as Node;
  const callee = call.callee as Node | undefined;
  const property = callee?.property as Node | undefined;
  if (call.type !== 'CallExpression' || callee?.type !== 'MemberExpression' || callee.computed) return;
  if (!Array.isArray(call.args) || call.args.length !== 1) return;
  if (property?.type !== 'Identifier' || !METHODS.some((method) => method === property.value)) return;
  call.args = [callee.object, ...(call.args as unknown[])];
  call.callee = { type: 'Identifier', value: `__${String(property.value)}` };
}
