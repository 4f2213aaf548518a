/**
 * xbench publishes `prompt` and `answer` enciphered so that crawlers do not read them: base64 of the UTF-8 bytes XORed with
 * the bytes of the record's `canary`, repeated. A record without `canary` is returned as it is; null where the result is
 * no UTF-8 text.
 */
export function decipher(record: Record<string, unknown>): Record<string, unknown> | null {
  const { canary, prompt, answer } = record;
  if (typeof canary !== 'string' || canary === '') return record;
  if (typeof prompt !== 'string' || typeof answer !== 'string') return null;
  try {
    return { ...record, prompt: plain(prompt, canary), answer: plain(answer, canary) };
  } catch {
    return null;
  }
}

function plain(text: string, key: string): string {
  const secret = Buffer.from(key, 'utf8');
  const bytes = Buffer.from(text, 'base64').map((byte, index) => byte ^ (secret[index % secret.length] ?? 0));
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
