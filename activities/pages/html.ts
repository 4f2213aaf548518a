import { cleanDocument } from './clean.ts';
import { type DomDocument, parseDocument, plain } from './dom.ts';
import { mainContent } from './main-content.ts';
import { toMarkdown } from './markdown.ts';
import { stripTags } from './strip-tags.ts';

/** What a page's markup says about the page itself, collected before anything is removed. */
export interface HtmlSignals {
  scripts: number;
  passwordFields: number;
  /** Text for browsers without JavaScript. */
  noscript: string;
  /** An element where a script would build the page, with nothing in it. */
  emptyMount: boolean;
  /** The page declares that it is behind a paywall. */
  paid: boolean;
  /** Names of known challenge scripts found in the markup. */
  challenges: string[];
}

export interface HtmlText {
  title: string;
  text: string;
  signals: HtmlSignals;
}

/** A tree of more tags takes too long and too much memory; such a page is read as bare text. */
const MAX_TAGS = 100_000;
/** The parser's time grows with the square of the depth; real pages stay below a hundred. */
const MAX_DEPTH = 1_500;

const CHALLENGES: readonly (readonly [string, RegExp])[] = [
  ['cloudflare', /challenge-platform|cf-chl-|cf_chl_opt|turnstile\/v0/],
  ['imperva', /_Incapsula_Resource|incap_ses/],
  ['perimeterx', /px-captcha|_pxAppId/],
  ['datadome', /captcha-delivery\.com|ddcid=/],
  ['aws', /awswaf|aws-waf-token/],
  ['akamai', /sec-if-cpt-container|bm-verify=/],
  [
    'captcha',
    /g-recaptcha|recaptcha\/api\.js|hcaptcha\.com\/1\/api|h-captcha|geetest|captcha-box|id="captcha/i,
  ],
];

/**
 * The readable text of a page as Markdown, with tables and absolute links. Falls back from the main text to the body,
 * and from a tree to bare text where the markup is too large or too deep. Never throws.
 */
export function readHtml(html: string, url: string): HtmlText {
  if (isReasonable(html)) {
    try {
      return readTree(html, url);
    } catch (error) {
      // Too deep for the stack, or markup that one of the libraries trips over: the words are still there.
      if (!(error instanceof Error)) throw error;
    }
  }
  const title = plain(stripTags(/<title[^<>]*>([^<]*)/i.exec(html)?.[1] ?? ''));
  return { title, text: stripTags(html), signals: signalsOf(undefined, html) };
}

/** Elements that must be closed; others do not add depth however many are left open. */
const CLOSED =
  /<(\/?)(?:div|span|section|article|main|table|tbody|ul|ol|dl|blockquote|font|center|b|i|em|strong|a|form|nav|header|footer|aside|details|figure|svg|g)\b/gi;

function isReasonable(html: string): boolean {
  let tags = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1))
    if (++tags > MAX_TAGS) return false;
  let depth = 0;
  for (const [, closing] of html.matchAll(CLOSED)) {
    depth = closing ? Math.max(0, depth - 1) : depth + 1;
    if (depth > MAX_DEPTH) return false;
  }
  return true;
}

function readTree(html: string, url: string): HtmlText {
  const document = parseDocument(html);
  const signals = signalsOf(document, html);
  const title = plain(document.title) || plain(document.querySelector('h1')?.textContent);
  cleanDocument(document, url);
  const text = toMarkdown(mainContent(document, html));
  return { title, text, signals };
}

function signalsOf(document: DomDocument | undefined, html: string): HtmlSignals {
  const all = (selector: string): number => document?.querySelectorAll(selector).length ?? 0;
  const mounts = [
    ...(document?.querySelectorAll('#root,#app,#__next,#___gatsby,#__nuxt,app-root,[data-reactroot]') ?? []),
  ];
  return {
    scripts: all('script'),
    passwordFields: all('input[type="password"]'),
    noscript: [...(document?.querySelectorAll('noscript') ?? [])]
      .map((element) => plain(element.textContent))
      .join(' '),
    emptyMount: mounts.some((mount) => plain(mount.textContent) === ''),
    paid: /"isAccessibleForFree"\s*:\s*"?false/i.test(html),
    challenges: CHALLENGES.filter(([, pattern]) => pattern.test(html)).map(([name]) => name),
  };
}
