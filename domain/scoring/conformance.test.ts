import { describe, expect, it } from 'vitest';
import { runCase, scoreCase } from './conformance.ts';

/** A case of our own in the corpus format. */
const line = (change: Record<string, unknown> = {}): string =>
  JSON.stringify({
    id: 'own-1',
    record: {
      instance_id: 'own',
      language: 'en',
      query: 'towns',
      evaluation: {
        required: ['town', 'note'],
        unique_columns: ['town'],
        eval_pipeline: {
          town: { preprocess: ['norm_str'], metric: ['exact_match'] },
          note: { preprocess: ['norm_str'], metric: ['llm_judge'], criterion: 'same meaning' },
        },
      },
    },
    gold_csv: 'town,note\nBern,old\nThun,new\n',
    response_text: 'town | note\n--- | ---\nBern | ancient\nThoune | new',
    fake_judge: { aliases: { Thoune: 'Thun' }, equal: [['ancient', 'old']], overrides: {} },
    ...change,
  });

describe('scoreCase', () => {
  it('scores a legal table without outer pipes, which the published evaluator loses', () => {
    expect(scoreCase(line())).toEqual({
      id: 'own-1',
      status: 'ok',
      score: 1,
      precision_by_row: 1,
      recall_by_row: 1,
      f1_by_row: 1,
      precision_by_item: 1,
      recall_by_item: 1,
      f1_by_item: 1,
    });
    const reference = scoreCase(line(), 'reference');
    expect(reference).toMatchObject({ status: 'column_mismatch', score: 0, f1_by_item: 0 });
  });

  it('asks the published way in reference mode', () => {
    const fenced = line({
      response_text: '```markdown\n| town | note |\n|---|---|\n| Bern | ancient |\n| Thoune | new |\n```',
    });
    const reference = runCase(fenced, 'reference');
    expect(reference.score.score).toBe(1);
    expect(reference.judgements.map(({ request }) => request.scope)).toEqual([
      'align:key:town',
      'judge:note',
    ]);
    const ours = runCase(fenced, 'default');
    expect(ours.judgements[0]?.request).toMatchObject({ vocabulary: ['Thoune'] });
  });

  it('has no numbers where gold cannot be used', () => {
    for (const compat of ['default', 'reference'] as const) {
      expect(scoreCase(line({ gold_csv: 'town\nBern\n' }), compat)).toMatchObject({
        status: 'config_error',
        score: null,
      });
    }
  });

  it('refuses what is no case', () => {
    expect(() => scoreCase('{')).toThrow('is not JSON');
    expect(() => scoreCase('{"id":"x"}')).toThrow('case.record');
    expect(() => scoreCase(line({ gold_csv: 5 }))).toThrow('case.gold_csv');
  });
});
