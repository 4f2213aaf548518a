import { expect, test } from 'vitest';
import { checkQueues } from './queues.ts';

test('each queue is asked for once; none for calls of the workflow’s own worker', async () => {
  const asked: string[] = [];
  const isServed = async (queue: string): Promise<boolean> => asked.push(queue) > 0;
  await checkQueues([null, 'big', 'search', 'big', null], isServed, 0);
  expect(asked).toEqual(['big', 'search']);
});

test('queues that nobody serves are named, with what to do', async () => {
  const refused = checkQueues(['big', 'small', 'search'], async (queue) => queue === 'search', 0);
  await expect(refused).rejects.toMatchObject({ type: 'ConfigError' });
  await expect(refused).rejects.toThrow(/no worker serves the task queue "big" and "small"\. Add it to/);
});

test('a queue whose worker is just starting is waited for', async () => {
  let calls = 0;
  await checkQueues(['big'], async () => ++calls > 2, 5_000);
  expect(calls).toBe(3);
});
