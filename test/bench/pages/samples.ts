export type Size = 'small' | 'typical' | 'large';
export const SIZES: readonly Size[] = ['small', 'typical', 'large'];

const WORDS =
  'the river harbour council voted on a plan for its old quarter where ferries and trams have met since the bridge was opened to traffic'.split(
    ' ',
  );
/** Sentences that differ, so that no page looks like one phrase repeated. */
const sentence = (n: number): string =>
  `In ${1800 + (n % 220)} ${WORDS.map((_, i) => WORDS[(i * 7 + n * (i + 3)) % WORDS.length]).join(' ')}, item ${n}. `;
const paragraph = (n: number): string =>
  `<p>${sentence(5 * n)}<a href="/topic/${n}">${sentence(5 * n + 1).slice(0, 40)}</a> ${sentence(5 * n + 2)}<em>${sentence(5 * n + 3).slice(0, 30)}</em> ${sentence(5 * n + 4)}</p>`;
const section = (n: number, paragraphs: number): string =>
  `<h2>Chapter ${n}</h2>${Array.from({ length: paragraphs }, (_, i) => paragraph(n * 100 + i)).join('\n')}`;
const table = (rows: number): string =>
  `<table><tr><th>Year</th><th>Place</th><th>Boats</th></tr>${Array.from({ length: rows }, (_, n) => `<tr><td>${1900 + n}</td><td>Quay ${n}</td><td>${n * 17}</td></tr>`).join('')}</table>`;
const menu = (links: number): string =>
  `<nav><ul>${Array.from({ length: links }, (_, n) => `<li><a href="/menu/${n}">Menu ${n}</a></li>`).join('')}</ul></nav>`;

const page = (main: string, links: number): string =>
  `<!doctype html><html><head><title>The harbour</title><script>var x = ${'1 + '.repeat(links)}1;</script></head><body>${menu(links)}<main><article><h1>The harbour</h1>${main}</article></main><footer><p>About us</p></footer></body></html>`;

/** An article of 2 KB; one of 60 KB with a menu, links and a table, as news and encyclopedias are; one of 5 MB. */
export function samplePage(size: Size): string {
  const sections = (count: number, paragraphs: number): string =>
    Array.from({ length: count }, (_, n) => section(n, paragraphs)).join('\n');
  if (size === 'small') return page(paragraph(1) + paragraph(2) + paragraph(3), 5);
  if (size === 'typical') return page(sections(10, 10) + table(60), 80);
  return page(sections(86, 99) + table(1_000), 200);
}
