import type { Unreadable } from '../search/port.ts';

/** Why a page cannot be read. `brief`: a reason that may be gone in a minute, so it is remembered only briefly. */
const REASONS = {
  invalid_url: 'lasting',
  unsupported_scheme: 'lasting',
  credentials_in_url: 'lasting',
  private_address: 'lasting',
  dns_failed: 'brief',
  unreachable: 'brief',
  certificate_error: 'lasting',
  timeout: 'brief',
  too_large: 'lasting',
  too_many_redirects: 'lasting',
  robots: 'lasting',
  not_found: 'lasting',
  forbidden: 'lasting',
  login_required: 'lasting',
  paywall: 'lasting',
  rate_limited: 'brief',
  server_error: 'brief',
  http_error: 'lasting',
  challenge: 'brief',
  consent_wall: 'lasting',
  needs_javascript: 'lasting',
  word_dump: 'lasting',
  soft_404: 'lasting',
  unsupported_type: 'lasting',
  unsupported_encoding: 'lasting',
  bad_response: 'brief',
  empty: 'lasting',
  scanned_pdf: 'lasting',
  encrypted_pdf: 'lasting',
  broken_pdf: 'lasting',
  unparsable: 'lasting',
  too_complex: 'brief',
  not_from_search: 'lasting',
} as const;

export type UnreadableReason = keyof typeof REASONS;

/** Every reason, for reports and schemas. */
export const UNREADABLE_REASONS = Object.keys(REASONS) as readonly UnreadableReason[];

/** Whether asking again in a minute can help. */
export const isBrief = (reason: string): boolean =>
  Object.hasOwn(REASONS, reason) && REASONS[reason as UnreadableReason] === 'brief';

/** An `Unreadable` whose reason is one of ours. */
export const unreadable = (
  url: string,
  reason: UnreadableReason,
): Unreadable & { unreadable: UnreadableReason } => ({
  url,
  unreadable: reason,
});
