import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCorpus, parseCorpus } from './corpus-schema.ts';

describe('corpus configuration', () => {
  it('reads the ready-made ones by name and by path', async () => {
    expect(await loadCorpus('sample')).toMatchObject({ encoder: 'minilm', store: { kind: 'embedded' } });
    const wiki = await loadCorpus('configs/corpus/wiki2018-e5.yaml');
    expect(wiki.store).toMatchObject({ kind: 'qdrant', m: 32, efConstruct: 512, hnswEf: 256 });
  });

  it.each([
    [{ name: 'a', sources: [{ kind: 'sample' }], chunkword: 3 }, /corpus\.chunkword: unknown key/],
    [{ name: 'a', sources: [{ kind: 'pages' }] }, /corpus\.sources\.0\.path/],
    [{ name: '../a', sources: [{ kind: 'sample' }] }, /corpus\.name: must be lower-case/],
    [
      {
        name: 'a',
        sources: [{ kind: 'sample' }],
        vectors: 'latin',
        store: { kind: 'qdrant', collection: 'c' },
      },
      /corpus\.vectors: only the embedded store/,
    ],
    [{ name: 'a', sources: [] }, /corpus\.sources/],
  ])('names the wrong field of %j', (value, message) => {
    expect(() => parseCorpus(value)).toThrow(message);
  });

  it('tells a missing file from a broken one', async () => {
    await expect(loadCorpus('nothing')).rejects.toMatchObject({ type: 'InvalidInput' });
    const dir = await mkdtemp(path.join(os.tmpdir(), 'wideseek-corpus-'));
    await writeFile(path.join(dir, 'bad.yaml'), 'name: [');
    await expect(loadCorpus('bad', dir)).rejects.toMatchObject({ type: 'ConfigError' });
    await rm(dir, { recursive: true });
  });
});
