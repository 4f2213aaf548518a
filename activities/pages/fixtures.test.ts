import { readdirSync, readFileSync } from 'node:fs';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import type { Page, Unreadable } from '../search/port.ts';
import { extractPage } from './extract.ts';
import { writePdf } from './pdf-writer.fake.ts';

const ROOT = new URL('../../test/fixtures/pages/', import.meta.url);
const files = (folder: string): string[] =>
  readdirSync(new URL(`${folder}/`, ROOT))
    .filter((name) => name.endsWith('.html'))
    .sort();
const load = (path: string): Buffer => readFileSync(new URL(path, ROOT));

const read = (body: Buffer, type: string, name = 'page', status = 200): Promise<Page | Unreadable> => {
  const url = `https://site.example/dir/${name}`;
  return extractPage(
    { url, status, headers: { 'content-type': type }, body },
    url,
    new AbortController().signal,
  );
};
const textOf = (page: Page | Unreadable): string =>
  'text' in page ? page.text : `unreadable: ${page.unreadable}`;

describe('pages and their text', () => {
  it.each(files('html'))('%s', async (name) => {
    const page = await read(load(`html/${name}`), 'text/html', name);
    const title = 'title' in page ? page.title : '';
    expect(`title: ${title}\n\n${textOf(page)}\n`).toBe(
      load(`html/${name.replace('.html', '.md')}`).toString(),
    );
  });
});

describe('what arrives instead of a page', () => {
  it.each(files('walls'))('%s', async (name) => {
    expect(await read(load(`walls/${name}`), 'text/html', name)).toMatchObject({
      unreadable: name.split('.')[0],
    });
  });

  it('tells a challenge from a refusal by the body', async () => {
    const challenge = load('walls/challenge.cloudflare.html');
    expect(await read(challenge, 'text/html', 'x', 403)).toMatchObject({ unreadable: 'challenge' });
    expect(await read(Buffer.from('<p>No.</p>'), 'text/html', 'x', 403)).toMatchObject({
      unreadable: 'forbidden',
    });
    expect(await read(challenge, 'text/html', 'x', 503)).toMatchObject({ unreadable: 'challenge' });
  });

  it.each([
    [401, 'login_required'],
    [402, 'paywall'],
    [404, 'not_found'],
    [410, 'not_found'],
    [418, 'http_error'],
    [429, 'rate_limited'],
    [451, 'forbidden'],
    [500, 'server_error'],
    [504, 'timeout'],
  ])('status %i is %s', async (status, reason) => {
    expect(await read(Buffer.from('<p>Something went wrong.</p>'), 'text/html', 'x', status)).toMatchObject({
      unreadable: reason,
    });
  });
});

const ZH =
  '青溪县位于江东省西部，总面积1862平方千米，下辖九个镇、四个乡，县人民政府驻城关镇。全县以茶叶和毛竹为主要产业。';
const JA = '白浜灯台は、白浜岬の先端に立つ高さ二十八メートルの灯台である。内部は毎週土曜日に公開されている。';
const KO = '백사 등대는 백사곶 끝에 서 있는 높이 이십팔 미터의 등대이다. 내부는 매주 토요일에 공개된다.';
const RU = 'Река берёт начало на холмах над городом и течёт на юг двести четырнадцать километров до моря.';
const DE =
  'Die Fähre über den Fluß fährt täglich, außer wenn das Wasser zu hoch steht; Kinder zahlen nichts, Möwen auch nicht.';
const TW = '青溪縣位於江東省西部，總面積一千八百六十二平方公里，下轄九個鎮、四個鄉，縣政府設於城關鎮。';

/** Text, the encoding of its bytes, the header's charset, the charset in the document. */
const CHARSETS: [string, string, string | null, string | null][] = [
  [ZH, 'gbk', 'utf-8', null],
  [ZH, 'gbk', null, 'utf-8'],
  [ZH, 'gbk', 'gbk', null],
  [ZH, 'gbk', null, 'gb2312'],
  [ZH, 'gb18030', null, null],
  [ZH, 'utf-8', 'gbk', null],
  [ZH, 'utf-8', 'iso-8859-1', 'iso-8859-1'],
  [ZH, 'utf-8', null, null],
  [TW, 'big5', 'big5', null],
  [TW, 'big5', null, null],
  [JA, 'shift_jis', null, 'shift_jis'],
  [JA, 'shift_jis', 'utf-8', null],
  [JA, 'euc-jp', null, null],
  [KO, 'euc-kr', 'euc-kr', null],
  [KO, 'euc-kr', null, null],
  [RU, 'windows-1251', null, null],
  [RU, 'koi8-r', 'koi8-r', null],
  [DE, 'iso-8859-1', 'iso-8859-1', null],
  [DE, 'windows-1252', 'utf-8', 'utf-8'],
  [DE, 'utf-8', 'no-such-charset', null],
  [ZH, 'utf-16le', null, null],
  [ZH, 'utf-16be', null, null],
];

describe('charsets', () => {
  it.each(CHARSETS)('%#: %s in %s, header %s, document %s', async (text, encoding, header, meta) => {
    const declared = meta ? `<meta charset="${meta}">` : '';
    const html = `<!doctype html><html><head>${declared}<title>t</title></head><body><p>${text.repeat(3)}</p></body></html>`;
    const bytes = iconv.encode(html, encoding, { addBOM: encoding.startsWith('utf-16') });
    const page = await read(bytes, header ? `text/html; charset=${header}` : 'text/html');
    expect(textOf(page)).toBe(text.repeat(3));
  });
});

describe('documents that are not HTML', () => {
  const line = 'Income was 41,220 and spending 39,874 (see note 4).';
  it.each([
    [{ pages: [[line]] }, `## Page 1\n\n${line}`],
    [{ pages: [[line]], compress: true }, `## Page 1\n\n${line}`],
    [
      { pages: [['First'], ['Second page'], ['Third', 'line two']] },
      '## Page 1\n\nFirst\n\n## Page 2\n\nSecond page\n\n## Page 3\n\nThird\nline two',
    ],
    [{ pages: [['A page with text'], []] }, '## Page 1\n\nA page with text\n\n## Page 2'],
    [{ pages: [['back \\ slash', 'caf\xe9']] }, '## Page 1\n\nback \\ slash\ncafé'],
  ])('PDF %#', async (options, expected) => {
    expect(textOf(await read(writePdf(options), 'application/pdf'))).toBe(expected);
  });

  it.each([
    ['scanned_pdf', writePdf({ pages: [[], [], []] })],
    ['encrypted_pdf', writePdf({ pages: [[line]], encrypted: true })],
    ['broken_pdf', Buffer.from('%PDF-1.7\nthis is all there is')],
  ])('PDF: %s', async (reason, bytes) => {
    expect(await read(bytes, 'application/pdf')).toMatchObject({ unreadable: reason });
  });

  it('takes a PDF for one whatever the header says, and its title from the file', async () => {
    const page = await read(writePdf({ title: 'Report 2020', pages: [[line]] }), 'text/html');
    expect(page).toMatchObject({ title: 'Report 2020', text: `## Page 1\n\n${line}` });
  });

  it.each([
    ['application/json', '{"a":[1,2],"b":"ü"}', '{\n "a": [\n  1,\n  2\n ],\n "b": "ü"\n}'],
    ['application/octet-stream', '[1]', '[\n 1\n]'],
    ['application/json', '{"cut": ', '{"cut":'],
    ['text/plain', 'one\r\ntwo', 'one\ntwo'],
    ['text/csv', 'a,b\n1,2\n', 'a,b\n1,2'],
    ['text/plain', '<p>shown as it is</p>', '<p>shown as it is</p>'],
    ['', 'no header at all', 'no header at all'],
    [
      'application/rss+xml',
      '<?xml version="1.0"?><rss><channel><item><title>Ferry &amp; port</title><link>https://a.example/1</link></item></channel></rss>',
      'Ferry & port https://a.example/1',
    ],
    [
      'application/json',
      '<!doctype html><title>API</title><p>An API that answers with a page.</p>',
      'An API that answers with a page.',
    ],
  ])('%s %#', async (type, content, expected) => {
    expect(textOf(await read(Buffer.from(content), type))).toBe(expected);
  });

  it.each([
    ['image/png', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0', 'latin1')],
    ['text/html', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0', 'latin1')],
    ['application/zip', Buffer.from('PK\x03\x04aaaa', 'latin1')],
    ['text/html', Buffer.from([1, 0, 2, 0, 3, 200, 0, 9])],
  ])('refuses what is no text: %s %#', async (type, bytes) => {
    expect(await read(bytes, type)).toMatchObject({ unreadable: 'unsupported_type' });
  });
});
