import { expect, test } from 'vitest';
import { engineFailure } from './failures.ts';

const failure = (status: number, detail: string) =>
  engineFailure('optim_step', { status, body: JSON.stringify({ detail }) }, 'engine at e');

test.each([
  [404, 'Model not found', 'NotFound'],
  [404, 'Checkpoint not found: m/v1', 'NotFound'],
  [400, 'Checkpoint not found: m/v1', 'NotFound'],
  [404, 'Session not found', 'NotFound'],
  [404, 'Not Found', 'BadRequest'],
  [400, 'Model model_1 not loaded (likely stale request from previous server)', 'NotFound'],
  [400, "'Cannot override already used adapter'", 'Overloaded'],
  [400, '[Errno 28] No space left on device', 'StorageFull'],
  [500, 'OSError: No space left on device', 'StorageFull'],
  [400, 'RESOURCE_EXHAUSTED: Out of memory allocating 3 bytes', 'BadRequest'],
  [400, 'LoRA rank 64 must be between 1 and 32', 'BadRequest'],
  [409, 'Training request sequence number was reused', 'Conflict'],
  [425, 'Checkpoint is still being created', 'Overloaded'],
  [500, 'Unknown error', 'Overloaded'],
])('%i %s is %s', (status, detail, type) => {
  const error = failure(status, detail);
  expect(error.type).toBe(type);
  expect(error.message).toContain('engine at e');
  expect(error.message).toContain('optim_step');
});

test('a message of the engine is one line of bounded length', () => {
  const { message } = failure(400, `bad\nthing ${'x'.repeat(5_000)}`);
  expect(message).toContain('bad thing');
  expect(message.length).toBeLessThan(700);
});
