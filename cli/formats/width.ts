/** Characters that take two columns in a terminal (East Asian wide and full-width forms, most emoji). */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u;
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What a reader sees as one character. */
export const charactersOf = (text: string): string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Columns that a text takes in a terminal: full-width characters and emoji 2, combining marks and controls 0. */
export const displayWidth = (text: string): number =>
  charactersOf(text).reduce(
    (sum, character) => sum + (INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1),
    0,
  );

/** Text from the web without control characters: a terminal would obey them. Line breaks become spaces. */
export const printable = (text: string): string =>
  text.replace(/[\t\r\n]+/g, ' ').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '');

/** Breaks a text into lines of at most `width` columns: at spaces where possible, anywhere in wide scripts, else inside words. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  let breakAt = -1; // index in `line` after its last space or wide character
  for (const character of charactersOf(printable(text).trim())) {
    const size = displayWidth(character);
    if (used + size > width && line !== '') {
      const cut = breakAt > 0 ? breakAt : line.length;
      const next = character === ' ' && breakAt <= 0 ? '' : line.slice(cut);
      lines.push(line.slice(0, cut).trimEnd());
      line = next.trimStart();
      used = displayWidth(line);
      breakAt = -1;
      if (character === ' ' && line === '') continue;
    }
    line += character;
    used += size;
    if (character === ' ' || size === 2) breakAt = line.length;
  }
  lines.push(line.trimEnd());
  return lines;
};
