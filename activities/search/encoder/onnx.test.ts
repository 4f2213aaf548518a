import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Encoder } from '../port.ts';
import { createOnnxEncoder } from './onnx.ts';
import { MINILM, NO_ENCODER } from './presets.ts';
import { loadTokeniser } from './tokenise.ts';

const home = process.env.WIDESEEK_HOME ?? path.join(os.homedir(), '.wideseek');
const files = {
  modelPath: path.join(home, 'artifacts/minilm-l6-int8-1.0.0/model.onnx'),
  tokenizerPath: path.join(home, 'artifacts/minilm-l6-tokenizer-0.1.0/tokenizer.json'),
};
const present = existsSync(files.modelPath) && existsSync(files.tokenizerPath);

/** First eight of 384 values from Python's onnxruntime and tokenizers on the same files. */
const REFERENCE: readonly [string, readonly number[]][] = [
  [
    'The capital of Botswana is Gaborone.',
    [-0.0208528, 0.0436139, -0.0020442, 0.0518416, -0.014268, -0.0473424, 0.048176, -0.0236834],
  ],
  [
    'Élan vital: naïve café, Zürich — 3,5 km²',
    [0.0784162, 0.0137806, 0.0084008, 0.0005391, 0.1044112, -0.0337004, -0.0266811, 0.0115287],
  ],
  [
    '内蒙古自治区位于中国北部。',
    [0.024486, 0.0797919, 0.0175022, 0.0133587, -0.053604, 0.0169327, -0.0013074, -0.0433011],
  ],
  [
    'wide research '.repeat(300),
    [0.0283567, 0.0151825, 0.0005451, -0.0232496, -0.0300187, 0.0767298, -0.1025502, 0.0309081],
  ],
  ['short', [0.015491, 0.1074889, 0.0212425, 0.046829, -0.0067084, -0.0083163, 0.0194076, 0.0947257]],
];

describe.skipIf(!present)('createOnnxEncoder (needs the pinned MiniLM files)', () => {
  let encoder: Encoder;
  beforeAll(async () => {
    encoder = await createOnnxEncoder({ ...files, ...MINILM });
  });

  it('gives the vectors of the Python reference, alone and in one batch', async () => {
    expect(encoder.dimensions).toBe(384);
    const together = await encoder.embed(
      REFERENCE.map(([text]) => text),
      'passage',
    );
    for (const [index, [text, expected]] of REFERENCE.entries()) {
      const [alone] = await encoder.embed([text], 'query');
      for (const vector of [alone, together[index]])
        expected.forEach((value, d) => expect(Math.abs((vector?.[d] ?? 9) - value)).toBeLessThan(1e-5));
    }
  });

  it('puts the prefix of the kind before the text', async () => {
    const prefixed = await createOnnxEncoder({
      ...files,
      ...MINILM,
      prefixes: { query: 'query: ', passage: 'passage: ' },
    });
    const [query] = await prefixed.embed(['river'], 'query');
    const [plain] = await encoder.embed(['query: river'], 'query');
    expect([...(query ?? [])]).toEqual([...(plain ?? [1])]);
  });

  it('gives nothing for nothing and a unit vector for an empty text', async () => {
    expect(await encoder.embed([], 'query')).toEqual([]);
    const [empty] = await encoder.embed([''], 'query');
    expect(Math.hypot(...(empty ?? []))).toBeCloseTo(1, 5);
  });

  it('cuts long texts but keeps the closing token', async () => {
    const tokenise = await loadTokeniser(files.tokenizerPath, 16);
    const ids = tokenise('word '.repeat(100));
    expect(ids).toHaveLength(16);
    expect([ids[0], ids.at(-1)]).toEqual([101, 102]);
  });

  it('names a model file that is none', async () => {
    const wrong = createOnnxEncoder({ ...files, ...MINILM, modelPath: files.tokenizerPath });
    await expect(wrong).rejects.toMatchObject({ type: 'ConfigError' });
  });
});

describe('without files', () => {
  it('names a tokenizer file that is none', async () => {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'wideseek-tokenizer-'));
    const file = path.join(dir, 'tokenizer.json');
    await writeFile(file, '{"model": 3}');
    await expect(loadTokeniser(file, 8)).rejects.toThrow(file);
    await rm(dir, { recursive: true });
  });

  it('has an encoder that encodes nothing', async () => {
    expect(await NO_ENCODER.embed(['a', 'b'], 'query')).toEqual([new Float32Array(), new Float32Array()]);
  });
});
