/** Markup that is safe to put on a page as it is. */
export interface Html {
  readonly markup: string;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as it may stand in an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

type Value = Html | string | number | null | undefined | false | readonly Value[];

const render = (value: Value): string => {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  if ('markup' in value) return value.markup;
  return value.map(render).join('');
};

/** Template of markup: every value is escaped unless it is `Html` itself. Attributes must be quoted. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html => ({
  markup: parts.reduce((text, part, index) => text + render(values[index - 1]) + part),
});

/** Text of a stylesheet or script of ours, never of data. */
export const trusted = (markup: string): Html => ({ markup });

/**
 * JSON for a `<script type="application/json">` block. Without `<` no text can end the block or open a comment.
 */
export const embedJson = (value: unknown): Html => ({
  markup: JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029'),
});
