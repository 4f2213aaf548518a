import type { UnreadableReason } from './reasons.ts';

const TIMEOUTS = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const CERTIFICATES = /CERT|SIGNATURE|ERR_TLS|ERR_SSL|EPROTO|UNABLE_TO_GET_ISSUER/;
const REPLIES = /^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH|INVALID|RESPONSE))/;

/** What a failed connection to a site means for its page. One site in trouble is no outage of ours. */
export function reasonOfFailure(error: unknown): UnreadableReason {
  for (let link = error, depth = 0; link instanceof Error && depth < 5; link = link.cause, depth++) {
    if (link.name === 'TimeoutError') return 'timeout';
    if (link.name === 'HTTPParserError') return 'bad_response';
    const code = 'code' in link && typeof link.code === 'string' ? link.code : '';
    if (TIMEOUTS.test(code)) return 'timeout';
    if (CERTIFICATES.test(code)) return 'certificate_error';
    if (REPLIES.test(code)) return 'bad_response';
  }
  return 'unreachable';
}

/** What an HTTP status other than success means; undefined for success. */
export function reasonOfStatus(status: number): UnreadableReason | undefined {
  if (status >= 200 && status < 300) return status === 204 || status === 205 ? 'empty' : undefined;
  if (status === 404 || status === 410) return 'not_found';
  if (status === 401 || status === 407) return 'login_required';
  if (status === 402) return 'paywall';
  if (status === 403 || status === 451) return 'forbidden';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server_error';
  return 'http_error';
}
