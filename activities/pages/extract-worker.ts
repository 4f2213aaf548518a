import type { MessagePort } from 'node:worker_threads';
import type { Page, Unreadable } from '../search/port.ts';
import { extractPage } from './extract.ts';
import type { Fetched } from './fetch-page.ts';

/** One page for a thread. Threads receive a Buffer as plain bytes. */
export interface ExtractTask {
  fetched: Omit<Fetched, 'body'> & { body: Uint8Array };
  askedUrl: string;
  /** Told once when the work begins, so that neither the thread's start nor its queue counts as the page's time. */
  started: MessagePort;
}

/** What a thread of the pool in `extractor.ts` runs. It ends by its own result or with its thread. */
export default function extractInThread({
  fetched,
  askedUrl,
  started,
}: ExtractTask): Promise<Page | Unreadable> {
  started.postMessage('started');
  started.close();
  const { buffer, byteOffset, byteLength } = fetched.body;
  const body = Buffer.from(buffer, byteOffset, byteLength);
  return extractPage({ ...fetched, body }, askedUrl, new AbortController().signal);
}
