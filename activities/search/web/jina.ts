import { WideseekError } from '../../../domain/errors.ts';
import { classify } from '../../pages/classify.ts';
import type { PageReader } from '../../pages/direct-reader.ts';
import { unreadable, type UnreadableReason } from '../../pages/reasons.ts';
import { createTargetCheck, type Resolver, parsePageUrl } from '../../pages/target.ts';
import { reasonOfStatus } from '../../pages/failure-reason.ts';
import type { Page } from '../port.ts';
import { call, type Env, keyFrom, type Reply, refusal } from './call.ts';

export interface JinaOptions {
  /** Name of the environment variable that holds the key; without one the service's free tier is used. */
  apiKeyEnv?: string;
  endpoint?: string;
  env?: Env;
  timeoutMs?: number;
}

const ENDPOINT = 'https://r.jina.ai/';
const SERVICE = 'Jina reader';
/** Spec 2.3: pages are rendered there, which takes time. */
const TIMEOUT_MS = 200_000;

/** The service could not get this page; its own trouble has other statuses. */
const PAGE_STATUS: Record<number, UnreadableReason> = {
  404: 'not_found',
  410: 'not_found',
  413: 'too_large',
  415: 'unsupported_type',
  422: 'unreachable',
  451: 'forbidden',
};

/**
 * Reads pages through Jina's reader (spec 2.3). What is wrong with a page is a reason; an outage or a refusal of the
 * service is thrown, typed. Addresses with credentials, of other schemes, or inside a network are not sent out.
 */
export function createJinaReader(options: JinaOptions = {}): PageReader {
  const { apiKeyEnv, endpoint = ENDPOINT, env = process.env, timeoutMs = TIMEOUT_MS } = options;
  // The service resolves names itself; only what names or numbers show is judged here.
  const check = createTargetCheck({ resolve: anyPublic });
  return async (url, signal) => {
    const target = parsePageUrl(url);
    if (!(target instanceof URL)) return unreadable(url, target);
    const checked = await check(target.href, signal);
    if (typeof checked === 'string') return unreadable(url, checked);
    const key = apiKeyEnv ? keyFrom(env, apiKeyEnv, SERVICE) : undefined;
    const context = { keyEnv: apiKeyEnv, secrets: key ? [key] : [] };
    const reply = await call(
      {
        url: `${endpoint.replace(/\/*$/, '/')}${target.href}`,
        method: 'GET',
        headers: { accept: 'text/plain', ...(key ? { authorization: `Bearer ${key}` } : {}) },
        timeoutMs,
        service: SERVICE,
        context,
      },
      signal,
    );
    const reason = PAGE_STATUS[reply.status];
    if (reason) return unreadable(url, reason);
    if (reply.status !== 200) throw refusal(reply, SERVICE, context);
    return readReply(url, reply);
  };
}

const anyPublic: Resolver = () => Promise.resolve([{ address: '1.1.1.1', family: 4 }]);

/** `Title:`, `URL Source:`, `Warning:` lines, then the page after `Markdown Content:`. */
function readReply(askedUrl: string, { text, headers }: Reply): Page | ReturnType<typeof unreadable> {
  if (/^\s*<(!doctype|html)/i.test(text) || (headers.get('content-type') ?? '').includes('text/html'))
    throw new WideseekError('BadReply', `${SERVICE}: answered with a web page instead of text`, {
      hint: 'Check the endpoint of the page reader',
    });
  const at = text.search(/^Markdown Content:/m);
  const head = at < 0 ? '' : text.slice(0, at);
  const body = (at < 0 ? text : text.slice(at).replace(/^Markdown Content:\s*/, '')).trim();
  const field = (name: string): string => new RegExp(`^${name}: *(.*)$`, 'm').exec(head)?.[1]?.trim() ?? '';
  const url = URL.canParse(field('URL Source')) ? field('URL Source') : askedUrl;
  const status = Number(/^Warning: .*returned error (\d{3})/m.exec(head)?.[1] ?? 200);
  const refused = reasonOfStatus(status);
  if (refused) return unreadable(askedUrl, refused);
  if (/^Warning: .*captcha/im.test(head)) return unreadable(askedUrl, 'challenge');
  const title = field('Title');
  const reason = classify({ askedUrl, url, status, headers: {}, title, text: body });
  return reason ? unreadable(askedUrl, reason) : { url, title: title || askedUrl, text: body };
}
