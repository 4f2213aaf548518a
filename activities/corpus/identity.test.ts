import { describe, expect, it } from 'vitest';
import { parseCorpus } from '../../configs/corpus-schema.ts';
import { generationOf } from './identity.ts';

const base = { name: 'a', sources: [{ kind: 'pages', path: 'p.jsonl' }] };
const encoder = { name: 'e', dimensions: 4 };
const name = (change: object, hashes = ['h'], by = encoder) =>
  generationOf(parseCorpus({ ...base, ...change }), hashes, by);

describe('generationOf', () => {
  it('changes with content, encoder and parameters', () => {
    const names = [
      name({}),
      name({}, ['other']),
      name({}, ['h'], { name: 'f', dimensions: 4 }),
      name({ chunkWords: 100 }),
      name({ embedWords: 40 }),
      name({ vectors: 'latin' }),
      name({ sources: [{ kind: 'pages', path: 'p.jsonl', searchable: false }] }),
      name({ store: { kind: 'qdrant', collection: 'c' } }),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it('stays when only names, places and batches change', () => {
    expect(name({ name: 'b', batch: 7, sources: [{ kind: 'pages', path: '/elsewhere/p.jsonl' }] })).toBe(
      name({}),
    );
  });
});
