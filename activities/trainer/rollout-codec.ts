import { z } from 'zod';
import { readGroup, writeGroup } from '../../domain/rl/record.ts';
import type { Rollout, Turn } from '../../domain/rl/types.ts';
import type { Blobs, Ref } from '../store/port.ts';

/**
 * A turn as it is stored: `share` tokens of the prompt are those of the same agent's turn before, prompt and response,
 * so a conversation costs its length and not its square. Arrays are little-endian bytes in base64.
 */
const storedTurnSchema = z.object({
  share: z.int().min(0),
  prompt: z.string(),
  response: z.string(),
  logprobs: z.string(),
  versions: z.string(),
  rest: z.record(z.string(), z.unknown()),
});
const storedRolloutSchema = z.object({
  rollout: z.record(z.string(), z.unknown()),
  turns: z.array(storedTurnSchema),
});

/** Stores a rollout; equal rollouts have equal refs. */
export function putRollout(store: Pick<Blobs, 'put'>, rollout: Rollout): Promise<Ref> {
  const { turns, ...rest } = rollout;
  const before = new Map<number, Int32Array>();
  const stored = turns.map((turn) => {
    const { promptTokens, responseTokens, logprobs, versions, ...facts } = turn;
    const last = before.get(turn.agentId) ?? new Int32Array(0);
    const share = commonPrefix(last, promptTokens);
    before.set(turn.agentId, joined(turn));
    return {
      share,
      prompt: encode(promptTokens.subarray(share)),
      response: encode(responseTokens),
      logprobs: encode(logprobs),
      versions: encode(versions),
      rest: facts,
    };
  });
  return store.put(JSON.stringify({ rollout: rest, turns: stored }));
}

/** Reads a stored rollout and checks it as a record. Throws `NotFound`, or `InvalidInput` naming the field. */
export async function getRollout(store: Pick<Blobs, 'get'>, ref: Ref): Promise<Rollout> {
  const { rollout, turns } = storedRolloutSchema.parse(JSON.parse(await store.get(ref)));
  const before = new Map<number, Int32Array>();
  const read = turns.map(({ share, prompt, response, logprobs, versions, rest }) => {
    const agent = rest.agentId as number;
    const tail = ints(prompt);
    const promptTokens = new Int32Array(share + tail.length);
    promptTokens.set((before.get(agent) ?? new Int32Array(0)).subarray(0, share));
    promptTokens.set(tail, share);
    const turn = {
      ...rest,
      promptTokens,
      responseTokens: ints(response),
      logprobs: new Float32Array(bytesOf(logprobs)),
      versions: ints(versions),
    } as Turn;
    before.set(agent, joined(turn));
    return turn;
  });
  const whole = { ...rollout, turns: read } as Rollout;
  const group = { id: 'stored', questionId: 'stored', rollouts: [whole] };
  return readGroup(writeGroup(group), `rollout ${ref}`).rollouts[0]!;
}

function joined({ promptTokens, responseTokens }: Turn): Int32Array {
  const all = new Int32Array(promptTokens.length + responseTokens.length);
  all.set(promptTokens);
  all.set(responseTokens, promptTokens.length);
  return all;
}

function commonPrefix(a: Int32Array, b: Int32Array): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at += 1;
  return at;
}

const encode = (values: Int32Array | Float32Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');
/** A copy, because a Buffer's bytes need not lie at a multiple of four. */
const bytesOf = (text: string): ArrayBuffer => new Uint8Array(Buffer.from(text, 'base64')).buffer;
const ints = (text: string): Int32Array => new Int32Array(bytesOf(text));
