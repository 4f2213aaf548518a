import type { HtmlSignals } from './html.ts';
import type { UnreadableReason } from './reasons.ts';
import { isWordDump } from './word-dump.ts';

export interface Evidence {
  /** Where the page was asked, and where the redirects ended. */
  askedUrl: string;
  url: string;
  status: number;
  headers: Record<string, string>;
  title: string;
  text: string;
  signals?: HtmlSignals;
}

/** Texts longer than this are pages that mention a wall, not walls. Characters. */
const WALL_CHARS = 1_500;
const TEASER_CHARS = 3_000;

const CHALLENGE_TITLE =
  /^(just a moment|attention required|one moment, please|verif(y|ying) (that )?you|access denied|security (check|verification)|are you (a robot|human)|robot check|pardon our interruption|ddos-guard|checking your browser|bot verification|human verification|安全验证|人机验证|访问验证|百度安全验证)/i;
const CHALLENGE_TEXT =
  /(checking (if the site connection is secure|your browser)|verify (that )?you are (a )?human|enable javascript and cookies to continue|unusual traffic from your|complete the (security check|captcha)|press (and|&) hold|prove you('| a)re (not a robot|human)|请完成(安全)?验证|拖动滑块|异常流量)/i;
const PAYWALL =
  /(subscribe (now )?to (continue|keep|read)|to continue reading|(for|to) subscribers only|subscriber[- ]only|already a subscriber\?|this (article|content|story) is (reserved|exclusive|available) (for|to)( our)? (subscribers|members)|unlock (this|the full) (article|story)|start your (free )?trial|free articles? (left|remaining)|abonnez-vous pour lire|jetzt weiterlesen mit|订阅后(可)?(继续)?阅读|付费(后)?阅读|开通会员(后)?(阅读|查看))/i;
const LOGIN =
  /((log|sign) ?in (to|or) (continue|view|see|read|sign up|register|access)|please (log|sign) ?in|you (must|need to) (be logged in|log ?in|sign in)|login required|create an account to|请(先)?登录|登录后(查看|可见|阅读)|anmelden, um)/i;
const LOGIN_PATH = /(^|[/._-])(log-?in|sign-?in|sso|oauth2?|account\/auth|passport)([/._-]|$)/i;
const CONSENT = /(cookies?|consent|privacy|partners|personal(ised|ized)? (data|ads)|advertising|隐私|同意)/i;
const CONSENT_ACTION =
  /(accept|agree|reject|manage|allow)( to)? (all|cookies?|and (continue|close)|options|preferences|settings|choices)|before you continue|we (value|care about|respect) your privacy|同意并继续|接受(所有|全部)/i;
const CONSENT_HOST = /^(consent|guce|privacy-?(mgmt|center)|cmp)\./i;
const SCRIPT_NOTE =
  /((enable|requires?|activate|turn on|without|needs?) (your )?javascript|javascript (is|must be|to be) (disabled|enabled|required)|启用 ?javascript|开启 ?javascript)/i;
const GONE =
  /((page|article|file|content|site|url|document) (you (requested|are looking for|were looking for) )?(was |is |could |can ?)?(not|n't|no longer) (be )?(found|available|exists?)|page doesn'?t exist|does not exist|^\W*(error )?404\b|404 (error|not found)|\bnot found\W*$|nothing (was )?found here|no longer (exists|available)|页面(不存在|未找到|已删除|找不到)|您(访问|查找)的页面|内容(不存在|已被删除)|seite (wurde )?nicht gefunden|page (introuvable|non trouvée))/i;

/**
 * Why a document that arrived is not the page that was asked for: a challenge, a wall, an empty shell, a
 * "not found" in disguise, or words without sentences. Undefined: it is readable.
 */
export function classify(page: Evidence): UnreadableReason | undefined {
  const { signals, text, title, headers, status } = page;
  const short = text.length < WALL_CHARS;
  const challenged = (signals?.challenges.length ?? 0) > 0;
  if (headers['cf-mitigated'] === 'challenge') return 'challenge';
  if (short && (CHALLENGE_TITLE.test(title) || CHALLENGE_TEXT.test(text))) return 'challenge';
  if (challenged && (status >= 400 || text.length < 300)) return 'challenge';
  if (status >= 400) return undefined;
  if (isConsentWall(page)) return 'consent_wall';
  if (text.length < TEASER_CHARS && (signals?.paid || PAYWALL.test(text))) return 'paywall';
  if (short && isLoginWall(page)) return 'login_required';
  if (short && (GONE.test(title) || GONE.test(firstLine(text)))) return 'soft_404';
  if (signals && text.length < 300 && isShell(text, signals)) return 'needs_javascript';
  if (text.trim() === '') return 'empty';
  return isWordDump(text) ? 'word_dump' : undefined;
}

const firstLine = (text: string): string =>
  /\S.*/
    .exec(text)?.[0]
    .replace(/^#+\s*/, '')
    .slice(0, 200) ?? '';

function isLoginWall({ signals, text, askedUrl, url }: Evidence): boolean {
  const path = (address: string): string => (URL.canParse(address) ? new URL(address).pathname : '');
  const sent = LOGIN_PATH.test(path(url)) && !LOGIN_PATH.test(path(askedUrl));
  return (signals?.passwordFields ?? 0) > 0 || sent || LOGIN.test(text.slice(0, WALL_CHARS));
}

/** More than half of a short text is about cookies and consent. */
function isConsentWall({ text, url, askedUrl }: Evidence): boolean {
  const host = (address: string): string => (URL.canParse(address) ? new URL(address).hostname : '');
  if (CONSENT_HOST.test(host(url)) && host(url) !== host(askedUrl)) return true;
  if (text.length >= TEASER_CHARS || !CONSENT_ACTION.test(text)) return false;
  const sentences = text.split(/(?<=[.!?。！？])\s*|\n+/).filter((sentence) => sentence.trim() !== '');
  const about = sentences.filter((sentence) => CONSENT.test(sentence) || CONSENT_ACTION.test(sentence));
  return about.join('').length > text.length / 2;
}

function isShell(text: string, signals: HtmlSignals): boolean {
  if (SCRIPT_NOTE.test(text) || SCRIPT_NOTE.test(signals.noscript)) return true;
  return signals.emptyMount || (text.trim() === '' && signals.scripts > 0);
}
