import { ENGINES } from '../../domain/rl/engine.ts';
import { createWireEngine } from '../../activities/trainer/wire/engine.ts';
import type { ConformanceTarget } from '../../activities/trainer/wire/conformance.ts';
import { VOCAB } from './server.ts';

/** The conformance target of a SkyRL server with its JAX backend. */
export const skyrlTarget = (url: string, baseModel: string): ConformanceTarget => ({
  engine: createWireEngine({
    baseUrl: url,
    capabilities: ENGINES['skyrl-jax'],
    baseModel,
    vocabSize: VOCAB,
  }),
  baseModel,
  rank: 8,
  vocabSize: VOCAB,
  url,
});
