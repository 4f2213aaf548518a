import { serve, type ServerType } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import { Hono } from 'hono';
import { z } from 'zod';

const bodySchema = z.object({
  input_ids: z.array(z.int()).min(1),
  sampling_params: z.looseObject({ max_new_tokens: z.int(), temperature: z.number() }),
  return_logprob: z.literal(true),
  logprob_start_len: z.int().optional(),
  stream: z.literal(false),
});
export type GenerateBody = z.infer<typeof bodySchema>;

/** A reply as it stands, or a JSON value that is sent with status 200. */
export type FakeAnswer =
  { status: number; body: string; headers?: Record<string, string> } | { json: unknown };

export interface FakeSglang {
  url: string;
  requests: GenerateBody[];
  /** The authorization header of each request. */
  keys: (string | undefined)[];
  stop: () => Promise<void>;
}

/** What the little model answers: log-prob of an id at its place. */
export const sglangLogprob = (id: number, at: number): number => -(id % 11) / 4 - at / 1024 - 0.125;

/** The body of a good reply: ids with their log-probs, in SGLang's shape. */
export const generated = (
  prompt: readonly number[],
  ids: readonly number[],
  finish: Record<string, unknown>,
  meta: Record<string, unknown> = {},
): { json: Record<string, unknown> & { meta_info: Record<string, unknown> } } => ({
  json: {
    text: '…',
    output_ids: [...ids],
    meta_info: {
      id: 'r',
      finish_reason: finish,
      prompt_tokens: prompt.length,
      completion_tokens: ids.length,
      output_token_logprobs: ids.map((id, at) => [sglangLogprob(id, prompt.length + at), id, null]),
      ...meta,
    },
  },
});

/** A server with SGLang's `/generate` whose every reply the test decides. */
export async function startFakeSglang(
  answer: (body: GenerateBody, n: number) => FakeAnswer,
): Promise<FakeSglang> {
  const requests: GenerateBody[] = [];
  const keys: (string | undefined)[] = [];
  const app = new Hono();
  app.post('/generate', async (context) => {
    const parsed = bodySchema.safeParse(await context.req.json());
    if (!parsed.success) return context.json({ error: { message: parsed.error.message } }, 400);
    keys.push(context.req.header('authorization'));
    const made = answer(parsed.data, requests.push(parsed.data) - 1);
    if ('json' in made) return context.json(made.json);
    return new Response(made.body, { status: made.status, headers: made.headers });
  });
  const server = await new Promise<ServerType>((resolve) => {
    const started = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    keys,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
