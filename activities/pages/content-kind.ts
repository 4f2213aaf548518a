export type ContentKind = 'html' | 'pdf' | 'json' | 'text' | 'xml' | 'unsupported';

/** How binary formats begin, byte for byte: pictures, sound, archives, programs, fonts. */
const BINARY = [
  '\x89PNG',
  '\xff\xd8\xff',
  'GIF8',
  'RIFF',
  'II*\0',
  'MM\0*',
  'OggS',
  'ID3',
  'fLaC',
  'PK\x03\x04',
  '\x1f\x8b',
  '7z\xbc\xaf',
  'Rar!',
  'BZh',
  '\xfd7zXZ',
  '\x28\xb5\x2f\xfd',
  '\x7fELF',
  'MZ\x90',
  '\xd0\xcf\x11\xe0',
  'wOF',
];

const HTML_START =
  /^\s*(<!--[\s\S]{0,2000}?-->\s*)*(<!doctype html|<(html|head|body|title|meta|div|p|h[1-6]|table|section|article|main|script|link|span|a|br|center|form|ul|font)[\s>/])/i;

/**
 * What a document is, by its first bytes, and by the header's type where they do not tell. `start`: the beginning of
 * the decoded text; `bytes`: the beginning as sent.
 */
export function contentKind(bytes: Uint8Array, start: string, contentType = ''): ContentKind {
  const raw = Buffer.from(bytes.subarray(0, 2_048)).toString('latin1');
  if (/%PDF-\d/.test(raw.slice(0, 1_032))) return 'pdf';
  if (BINARY.some((magic) => raw.startsWith(magic)) || raw.startsWith('ftyp', 4)) return 'unsupported';
  const type = contentType.toLowerCase().split(';')[0]?.trim() ?? '';
  if (HTML_START.test(start.slice(0, 4_096)))
    return type === 'text/plain' && !/^\s*<(!doctype|html)/i.test(start) ? 'text' : 'html';
  if (/^\s*<\?xml/.test(start)) return /<html[\s>]/i.test(start.slice(0, 2_048)) ? 'html' : 'xml';
  if (start.includes('\0')) return 'unsupported';
  if (/[/+]json$/.test(type)) return 'json';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (/[/+]xml$/.test(type)) return 'xml';
  if (/^(image|audio|video|font)\//.test(type)) return 'unsupported';
  if (/^\s*[[{]/.test(start) && !type.startsWith('text/')) return 'json';
  return 'text';
}
