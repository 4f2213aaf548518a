import { getDocumentProxy } from 'unpdf';
import { inflatesWithin } from './pdf-streams.ts';
import type { UnreadableReason } from './reasons.ts';

export interface PdfText {
  title: string;
  text: string;
}

/** Pages after these are named, not read. */
const MAX_PAGES = 1_000;
/** All streams of the file together after inflation; pictures are not inflated. Bytes. */
const MAX_INFLATED = 256 * 1024 * 1024;
/** Fewer characters than this on every page: the pages are pictures. */
const SCAN_CHARS = 5;

/**
 * The text of a PDF under a heading per page (`## Page 3`), or why there is none. Throws the signal's reason only.
 */
export async function readPdf(bytes: Uint8Array, signal: AbortSignal): Promise<PdfText | UnreadableReason> {
  if (!inflatesWithin(bytes, MAX_INFLATED)) return 'too_large';
  let document;
  try {
    document = await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      isEvalSupported: false,
      stopAtErrors: false,
    });
  } catch (error) {
    return error instanceof Error && error.name === 'PasswordException' ? 'encrypted_pdf' : 'broken_pdf';
  }
  try {
    const parts: string[] = [];
    let most = 0;
    const last = Math.min(document.numPages, MAX_PAGES);
    for (let number = 1; number <= last; number++) {
      signal.throwIfAborted();
      const text = await pageText(await document.getPage(number));
      most = Math.max(most, text.replace(/\s/g, '').length);
      parts.push(`## Page ${number}\n\n${text}`);
    }
    if (most < SCAN_CHARS) return 'scanned_pdf';
    if (last < document.numPages) parts.push(`(Pages ${last + 1} to ${document.numPages} were not read.)`);
    return { title: await titleOf(document), text: parts.join('\n\n').trim() };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    return 'broken_pdf';
  } finally {
    await document.cleanup().catch(() => undefined);
    await document.loadingTask.destroy().catch(() => undefined);
  }
}

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;
type PdfPage = Awaited<ReturnType<Document['getPage']>>;

async function pageText(page: PdfPage): Promise<string> {
  const { items } = await page.getTextContent();
  let text = '';
  for (const item of items) if ('str' in item) text += item.str + (item.hasEOL ? '\n' : '');
  page.cleanup();
  return text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

async function titleOf(document: Document): Promise<string> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const title = (info as Record<string, unknown>).Title;
  return typeof title === 'string' ? title.trim() : '';
}
