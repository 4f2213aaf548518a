/**
 * Delimiter-separated text as rows of fields, RFC 4180 quoting, lenient as the common readers are: a quote opens a
 * quoted field only at its start and is literal elsewhere, blank lines are skipped, a byte order mark is dropped.
 * `openQuote` is true where the text ended inside a quoted field.
 */
export function readDelimited(text: string, separator: string): { rows: string[][]; openQuote: boolean } {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  const endField = (): void => {
    row.push(field);
    field = '';
    state = 'start';
  };
  const endRow = (): void => {
    const blank = row.length === 0 && state !== 'closed' && field.trim() === '';
    endField();
    if (!blank) rows.push(row);
    row = [];
  };
  for (let index = 0; index < source.length; index += 1) {
    const char = source[index] ?? '';
    if (state === 'quoted') {
      if (char === '"') state = 'closed';
      else field += char;
    } else if (char === separator) endField();
    else if (char === '\n' || char === '\r') {
      endRow();
      if (char === '\r' && source[index + 1] === '\n') index += 1;
    } else if (char === '"' && state === 'start') state = 'quoted';
    else if (char === '"' && state === 'closed') {
      field += '"';
      state = 'quoted';
    } else {
      field += char;
      state = 'plain';
    }
  }
  const openQuote = (state as string) === 'quoted';
  if (row.length > 0 || field !== '' || state !== 'start') endRow();
  return { rows, openQuote };
}
