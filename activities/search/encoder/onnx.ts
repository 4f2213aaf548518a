import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import pLimit from 'p-limit';
import { WideseekError } from '../../../domain/errors.ts';
import type { Encoder } from '../port.ts';
import { bucketByLength } from './batches.ts';
import { pool } from './pool.ts';
import type { Pooling } from './pool.ts';
import { loadTokeniser } from './tokenise.ts';

export interface OnnxEncoderOptions {
  /** Shown in reports and part of an index's identity; default: the model's folder. */
  name?: string;
  modelPath: string;
  tokenizerPath: string;
  pooling: Pooling;
  /** Put before every text of that kind, e.g. E5's `query: ` and `passage: `. */
  prefixes: { query: string; passage: string };
  /** Special tokens included. */
  maxTokens: number;
  /** Default: what the machine has. */
  threads?: number;
}

const MAX_BATCH_TEXTS = 16;
const MAX_BATCH_TOKENS = 2048;

const openSession = async (modelPath: string, threads: number | undefined): Promise<InferenceSession> => {
  try {
    return await InferenceSession.create(modelPath, {
      graphOptimizationLevel: 'all',
      ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
    });
  } catch (cause) {
    throw new WideseekError('ConfigError', `${modelPath} is not a readable ONNX model`, { cause });
  }
};

const feedsFor = (session: InferenceSession, rows: readonly number[][], width: number) => {
  const shape = [rows.length, width];
  const ids = new BigInt64Array(rows.length * width);
  const mask = new BigInt64Array(rows.length * width);
  rows.forEach((row, r) =>
    row.forEach((id, t) => {
      ids[r * width + t] = BigInt(id);
      mask[r * width + t] = 1n;
    }),
  );
  const known: Record<string, BigInt64Array> = {
    input_ids: ids,
    attention_mask: mask,
    token_type_ids: new BigInt64Array(rows.length * width),
  };
  return Object.fromEntries(
    session.inputNames.map((name) => {
      const values = known[name];
      if (!values)
        throw new WideseekError('ConfigError', `the encoder model asks for the unknown input ${name}`);
      return [name, new Tensor('int64', values, shape)];
    }),
  );
};

/**
 * A sentence encoder from an ONNX file: right padding, truncation at `maxTokens`, mean (or first-token) pooling,
 * L2 normalisation (spec 2.6). Vectors do not depend on what else is in the call. Loads and runs the model once,
 * so a wrong file fails here with `ConfigError` and not at the first question.
 */
export const createOnnxEncoder = async (options: OnnxEncoderOptions): Promise<Encoder> => {
  const { modelPath, pooling, prefixes, maxTokens } = options;
  const tokenise = await loadTokeniser(options.tokenizerPath, maxTokens);
  const session = await openSession(modelPath, options.threads);
  // One run already uses every thread: more at once only lengthens each.
  const oneAtATime = pLimit(1);

  const run = async (rows: readonly number[][]): Promise<Float32Array[]> => {
    const lengths = rows.map((row) => row.length);
    const width = Math.max(...lengths);
    const outputs = await session.run(feedsFor(session, rows, width));
    const output = outputs.last_hidden_state ?? outputs[session.outputNames[0] ?? ''];
    const dimensions = output?.dims[2];
    if (!output || !dimensions || !(output.data instanceof Float32Array))
      throw new WideseekError(
        'ConfigError',
        `${modelPath} does not give a float32 hidden state [texts, tokens, dimensions]`,
      );
    return pool(output.data, width, dimensions, lengths, pooling);
  };

  const [probe] = await run([tokenise('probe')]);
  return {
    name: options.name ?? path.basename(path.dirname(path.resolve(modelPath))),
    dimensions: probe?.length ?? 0,
    embed: async (texts, kind) => {
      const rows = texts.map((text) => tokenise(prefixes[kind] + text));
      const vectors = new Array<Float32Array>(texts.length);
      const batches = bucketByLength(
        rows.map((row) => row.length),
        MAX_BATCH_TEXTS,
        MAX_BATCH_TOKENS,
      );
      for (const batch of batches) {
        const found = await oneAtATime(() => run(batch.map((index) => rows[index] ?? [])));
        batch.forEach((index, place) => (vectors[index] = found[place] ?? new Float32Array()));
      }
      return vectors;
    },
  };
};
