/** What a key looks like in the wild; each keeps the part that says which kind of secret was there. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, '$1 [redacted]'],
  [/\b(?:sk|pk|rk|gsk|xai|hf|jina|tvly|AIza|ghp)[-_][\w*.-]{4,}/g, '[redacted]'],
  [/\bAIza[\w-]{10,}/g, '[redacted]'],
  [
    /((?:api[-_ ]?key|x-api-key|access[-_ ]?token|authorization|password|secret)["']?\s*(?:[=:]|is)\s*["']?)(?!\[redacted)[^\s"',;&}]{4,}/gi,
    '$1[redacted]',
  ],
  [/(\/\/[^\s/:@]+:)[^\s/@]+(@)/g, '$1[redacted]$2'],
];

/**
 * Removes what looks like a key, a bearer token or a password from a text that a person or a log will see.
 * `secrets` are values known to the caller; they are removed wherever they stand, whatever they look like.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[redacted]');
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean;
}
