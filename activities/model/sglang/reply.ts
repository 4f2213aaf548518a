import { z } from 'zod';
import { WideseekError } from '../../../domain/errors.ts';
import { fromHttp } from '../../provider-http.ts';

/** `[log-prob, id, text]`; SGLang sends null for the first token of a prompt. */
const tripleSchema = z.tuple([z.number().nullable(), z.int()], z.unknown());

const finishSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('stop') }),
  z.looseObject({ type: z.literal('length') }),
  z.looseObject({
    type: z.literal('abort'),
    message: z.string().nullish(),
    /** Set where the request itself was refused rather than interrupted. */
    status_code: z.int().nullish(),
  }),
]);

/** A reply of `/generate`, as far as we read it. */
export const generatedSchema = z.looseObject({
  output_ids: z.array(z.int()).nullish(),
  meta_info: z.looseObject({
    finish_reason: finishSchema,
    prompt_tokens: z.int().optional(),
    output_token_logprobs: z.array(tripleSchema).nullish(),
    input_token_logprobs: z.array(tripleSchema).nullish(),
    weight_version: z.union([z.string(), z.int()]).nullish(),
  }),
});

/** What one request generated. */
export interface Piece {
  tokens: number[];
  logprobs: number[];
  finish: 'stop' | 'length' | 'abort';
  /** Where the server's weights are named by a number. */
  version: number | undefined;
  /** Log-probs of the prompt from `logprob_start_len` on. */
  input: { logprob: number | null; id: number }[];
}

/** Reads the body of a reply with status 200. Throws `BadReply` for what is no such reply. */
export function readGenerated(text: string, service: string): Piece {
  if (/^\s*</.test(text))
    throw new WideseekError('BadReply', `${service}: answered with a web page instead of JSON`, {
      hint: 'Check that tokens.url is the address of an SGLang server, without /generate',
    });
  const { output_ids: ids, meta_info: meta } = generatedSchema.parse(JSON.parse(text));
  const { finish_reason: finish, output_token_logprobs: triples, input_token_logprobs: input } = meta;
  if (finish.type === 'abort' && finish.status_code)
    throw fromHttp(
      { status: finish.status_code, body: finish.message ?? 'the request was aborted' },
      service,
    );
  const tokens = (triples ?? []).map(([, id]) => id);
  // An interrupted request may come back with nothing at all.
  const missing = triples === undefined || triples === null;
  if (missing && !(finish.type === 'abort' && (ids ?? []).length === 0))
    throw new WideseekError('BadReply', `${service}: no output_token_logprobs`);
  if (ids && (ids.length !== tokens.length || ids.some((id, at) => id !== tokens[at])))
    throw new WideseekError(
      'BadReply',
      `${service}: ${tokens.length} log-probs do not belong to the ${ids.length} output_ids`,
    );
  const logprobs = (triples ?? []).map(([logprob], at) => {
    if (logprob !== null) return logprob;
    throw new WideseekError('BadReply', `${service}: log-prob ${at} is null`);
  });
  return {
    tokens,
    logprobs,
    finish: finish.type,
    version: versionOf(meta.weight_version),
    input: (input ?? []).map(([logprob, id]) => ({ logprob, id })),
  };
}

/** Versions are counted where whoever updates the weights names them so; other names say nothing. */
function versionOf(value: string | number | null | undefined): number | undefined {
  const text = String(value ?? '');
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
