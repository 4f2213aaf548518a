import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WideseekError } from '../../../domain/errors.ts';
import { MAX_TOKENS, MINI_TEMPLATE, miniTokenizer, miniTokenizerConfig } from './tokenizer.ts';
import { END, PAD, VOCABULARY } from './vocabulary.ts';

/** A decoder of 0.49 million parameters in the Qwen3 layout: what `config.json` of the miniature model says. */
export const miniModelConfig = (): Record<string, unknown> => ({
  architectures: ['Qwen3ForCausalLM'],
  model_type: 'qwen3',
  vocab_size: VOCABULARY.length,
  hidden_size: 128,
  intermediate_size: 256,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 32,
  hidden_act: 'silu',
  max_position_embeddings: MAX_TOKENS,
  rope_theta: 10_000,
  rms_norm_eps: 1e-6,
  attention_bias: false,
  attention_dropout: 0,
  tie_word_embeddings: true,
  // About 1/√128. With the 0.02 of large models, copying took five times as many steps to appear.
  initializer_range: 0.08,
  use_sliding_window: false,
  sliding_window: null,
  eos_token_id: VOCABULARY.indexOf(END),
  pad_token_id: VOCABULARY.indexOf(PAD),
  dtype: 'float32',
});

/**
 * Writes the miniature model without its weights: `config.json`, `generation_config.json`, `tokenizer.json`,
 * `tokenizer_config.json` and `chat_template.jinja`, the same bytes on every call. `dir` is made if need be.
 * Throws `StorageFull` or `InvalidInput` when it cannot be written.
 */
export async function writeMiniModelDir(dir: string): Promise<void> {
  const json = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;
  const files = {
    'config.json': json(miniModelConfig()),
    'generation_config.json': json({ eos_token_id: [VOCABULARY.indexOf(END)], do_sample: true }),
    'tokenizer.json': json(miniTokenizer()),
    'tokenizer_config.json': json(miniTokenizerConfig()),
    'chat_template.jinja': MINI_TEMPLATE,
  };
  await storing(dir, async () => {
    await mkdir(dir, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  });
}

/** Says in our own terms why a folder or file could not be written. */
export async function storing<T>(target: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === undefined) throw cause;
    throw new WideseekError(
      code === 'ENOSPC' || code === 'EDQUOT' ? 'StorageFull' : 'InvalidInput',
      `cannot write ${target} (${code})`,
      { hint: 'Name a place that can be written to.', cause },
    );
  }
}
