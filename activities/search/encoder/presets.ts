import type { Encoder } from '../port.ts';
import type { OnnxEncoderOptions } from './onnx.ts';

type Preset = Pick<OnnxEncoderOptions, 'pooling' | 'prefixes' | 'maxTokens'>;

/** all-MiniLM-L6-v2: the embedded default. */
export const MINILM: Preset = { pooling: 'mean', prefixes: { query: '', passage: '' }, maxTokens: 256 };

/** intfloat/e5-base-v2 as used for the 2018 Wikipedia corpus (spec 2.6). */
export const E5: Preset = {
  pooling: 'mean',
  prefixes: { query: 'query: ', passage: 'passage: ' },
  maxTokens: 256,
};

/** Stands where no encoder can be had: zero-length vectors. An index opened with it searches by words only. */
export const NO_ENCODER: Encoder = {
  name: 'none',
  dimensions: 0,
  embed: async (texts) => texts.map(() => new Float32Array()),
};
