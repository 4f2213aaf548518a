import type { Page, Unreadable } from '../search/port.ts';
import { decodeText } from './charset.ts';
import { classify } from './classify.ts';
import { contentKind } from './content-kind.ts';
import { reasonOfStatus } from './failure-reason.ts';
import type { Fetched } from './fetch-page.ts';
import { type HtmlSignals, readHtml } from './html.ts';
import { readPdf } from './pdf.ts';
import { unreadable, type UnreadableReason } from './reasons.ts';
import { stripTags } from './strip-tags.ts';

interface Content {
  title: string;
  text: string;
  signals?: HtmlSignals;
}

/** JSON up to this size is indented for reading. Characters. */
const PRETTY_CHARS = 1_000_000;

/**
 * The page in a fetched document, or why it cannot be read. `askedUrl` is what the caller asked for. Throws the
 * signal's reason only.
 */
export async function extractPage(
  fetched: Fetched,
  askedUrl: string,
  signal: AbortSignal,
): Promise<Page | Unreadable> {
  const { url, status, headers } = fetched;
  const refused = reasonOfStatus(status);
  // Walls and challenges come with an error status too; the body says which it is.
  const content = await readContent(fetched, signal);
  if (typeof content === 'string') return unreadable(url, refused ?? content);
  const reason = classify({ askedUrl, url, status, headers, ...content });
  if (reason ?? refused) return unreadable(url, reason ?? refused ?? 'http_error');
  return { url, title: content.title || nameOf(url), text: content.text };
}

async function readContent(
  { body, headers, url }: Fetched,
  signal: AbortSignal,
): Promise<Content | UnreadableReason> {
  const type = headers['content-type'] ?? '';
  if (body.length === 0) return 'empty';
  const start = decodeText(body.subarray(0, 8_192), type);
  const kind = contentKind(body, start, type);
  if (kind === 'unsupported') return 'unsupported_type';
  if (kind === 'pdf') return readPdf(body, signal);
  const text = decodeText(body, type);
  if (kind === 'html') return readHtml(text, url);
  if (kind === 'xml') return { title: '', text: stripTags(text) };
  return { title: '', text: kind === 'json' ? indented(text) : text.replace(/\r\n?/g, '\n').trim() };
}

function indented(text: string): string {
  if (text.length > PRETTY_CHARS) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text.trim();
  }
}

/** The last part of the path names a document that has no title. */
function nameOf(url: string): string {
  const { pathname, hostname } = new URL(url);
  const last = pathname.split('/').filter(Boolean).at(-1) ?? hostname;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
