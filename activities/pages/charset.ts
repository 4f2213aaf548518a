import { detect } from 'chardet';

/** Bytes of a page's start in which a declaration counts (HTML asks for the first 1024; real pages are later). */
const META_BYTES = 8_192;
const DETECT_BYTES = 256 * 1024;

/**
 * The text of a document's bytes. A byte order mark decides; else the header's charset, else the document's own
 * declaration, unless the bytes contradict it; else detection. Bytes that are valid UTF-8 beyond ASCII are UTF-8
 * whatever is declared, and a declaration of UTF-8 for bytes that are not falls back to detection. Never throws:
 * what cannot be decoded becomes U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const mark = markOf(bytes);
  if (mark) return decode(bytes, mark);
  const declared = labelOf(/charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1]) ?? metaLabel(bytes);
  if (declared?.startsWith('utf-16')) return decode(bytes, declared);
  const asUtf8 = decode(bytes, 'utf-8');
  const wrong = count(asUtf8, /\uFFFD/g);
  if (wrong === 0) return declared && !/[^\0-\x7f]/.test(asUtf8) ? decode(bytes, declared) : asUtf8;
  if (declared && declared !== 'utf-8') return decode(bytes, declared);
  // A few broken characters in a page of real UTF-8 do not make it something else.
  const foreign = count(asUtf8, /[^\0-\x7f\uFFFD]/g);
  if (wrong * 5 < foreign) return asUtf8;
  return decode(bytes, detected(bytes));
}

const count = (text: string, pattern: RegExp): number => {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found++;
  return found;
};

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

/** The decoder's name of a label; undefined for labels that nobody knows. */
function labelOf(label: string | undefined): string | undefined {
  if (!label) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** `<meta charset>`, `<meta http-equiv content>` or the XML declaration. */
function metaLabel(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, META_BYTES)).toString('latin1');
  const meta = /<meta\s[^<>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(start)?.[1];
  const xml = /^\s*<\?xml[^<>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i.exec(start)?.[1];
  const found = labelOf(meta ?? xml);
  // A document whose declaration can be read as ASCII is not UTF-16 (HTML standard).
  return found?.startsWith('utf-16') ? 'utf-8' : found;
}

/** Detection looks at the bytes around the first ones that are not ASCII: markup says nothing. */
function detected(bytes: Uint8Array): string {
  const first = Math.max(
    0,
    bytes.findIndex((byte) => byte > 0x7f),
  );
  const found = labelOf(detect(bytes.subarray(first, first + DETECT_BYTES)) ?? undefined);
  return !found || found === 'utf-8' ? 'windows-1252' : found === 'gbk' ? 'gb18030' : found;
}

const decode = (bytes: Uint8Array, encoding: string): string => new TextDecoder(encoding).decode(bytes);
