import path from 'node:path';
import { WideseekError } from '../../../domain/errors.ts';
import type { Encoder } from '../port.ts';
import { createOnnxEncoder } from './onnx.ts';
import { E5, MINILM, NO_ENCODER } from './presets.ts';

export interface EncoderFiles {
  modelPath: string;
  tokenizerPath: string;
  /** True: the pinned MiniLM; false: files that the environment named. */
  pinned: boolean;
}

export type EncoderPreset = 'minilm' | 'e5' | 'none';

const nameOf = (preset: EncoderPreset, { modelPath, pinned }: EncoderFiles): string =>
  pinned
    ? 'minilm-l6-int8'
    : `${preset}:${path.basename(path.dirname(path.resolve(modelPath)))}/${path.basename(modelPath)}`;

/**
 * The encoder of a preset from files that `files` finds or fetches. Where the default encoder's files cannot be
 * had, `warn` is told and the encoder is the empty one (`name: 'none'`), so that search goes on by words.
 * Throws `ConfigError` for files that are no encoder, and for `e5` without files of its own.
 */
export const openEncoder = async (
  preset: EncoderPreset,
  files: () => Promise<EncoderFiles>,
  warn: (line: string) => void = () => {},
): Promise<Encoder> => {
  if (preset === 'none') return NO_ENCODER;
  let found: EncoderFiles;
  try {
    found = await files();
  } catch (cause) {
    if (!(cause instanceof WideseekError) || preset === 'e5') throw cause;
    warn(`No encoder, search is by words only: ${cause.message}`);
    return NO_ENCODER;
  }
  if (preset === 'e5' && found.pinned)
    throw new WideseekError('ConfigError', 'the encoder e5 needs files of its own', {
      hint: 'Set WIDESEEK_ENCODER_MODEL and WIDESEEK_ENCODER_TOKENIZER to e5-base-v2 as ONNX and its tokenizer.json.',
    });
  return createOnnxEncoder({
    name: nameOf(preset, found),
    modelPath: found.modelPath,
    tokenizerPath: found.tokenizerPath,
    ...(preset === 'e5' ? E5 : MINILM),
  });
};
