import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';

describe('redact', () => {
  it.each([
    ['Incorrect API key provided: sk-proj-abc123DEF456. See the docs', 'sk-proj-abc123DEF456'],
    ['header Authorization: Bearer abcdef0123456789', 'abcdef0123456789'],
    ['{"api_key":"0123456789abcdef"}', '0123456789abcdef'],
    ['GET /search?api_key=0123456789abcdef&q=x', '0123456789abcdef'],
    ['X-API-KEY: 0123456789abcdef', '0123456789abcdef'],
    ['connect to postgres://wide:hunter22@db:5432/x failed', 'hunter22'],
    ['key jina_0123456789abcdef is unknown', 'jina_0123456789abcdef'],
  ])('hides the key in %s', (text, key) => {
    expect(redact(text)).not.toContain(key);
    expect(redact(text)).toContain('[redacted]');
  });

  it('leaves ordinary messages alone', () => {
    const message = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens";
    expect(redact(message)).toBe(message);
    expect(redact('task-force found the disk-usage of risk-free bonds')).toBe(
      'task-force found the disk-usage of risk-free bonds',
    );
  });

  it('removes every known secret wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9]{12,40}$/),
        fc.string(),
        fc.string(),
        (secret, before, after) => {
          expect(redact(`${before}${secret}${after}`, [secret])).not.toContain(secret);
        },
      ),
    );
  });
});
