import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluationOf, HOSTILE, sampleOf } from '../testing/made.ts';
import { metricDocument } from '../metrics.ts';
import { WIDESEARCH_OFFICIAL, WIDESEEK_QA, WIDESEEK_WIDESEARCH } from '../../../domain/scoring/published.ts';
import { countBars, curve, histogram, scatter, tenths, ticksOf, trend } from './charts.ts';
import { incomparable, publishedTables } from './headline.ts';
import { embedJson, escapeHtml, html } from './html.ts';

describe('markup', () => {
  test('values are escaped, markup is not, nothing is nothing', () => {
    expect(html`<b>${HOSTILE}</b>`.markup).not.toMatch(/<script|<img|"'/);
    expect(html`${[html`<i>1</i>`, 2, null, undefined, false, '']}`.markup).toBe('<i>1</i>2');
    expect(escapeHtml(`&<>"'`)).toBe('&amp;&lt;&gt;&quot;&#39;');
  });

  test('embedded JSON reads back as it was and never holds a tag', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', HOSTILE, '</SCRIPT>'), (value, text) => {
        const { markup } = embedJson([value, text]);
        expect(markup).not.toContain('<');
        expect(JSON.parse(markup)).toEqual(JSON.parse(JSON.stringify([value, text])));
      }),
    );
  });
});

describe('charts', () => {
  test('tenths: edges fall up, 1 into the last; nothing is lost', () => {
    expect(tenths([0, 0.1, 0.3, 0.999, 1])).toEqual([1, 1, 0, 1, 0, 0, 0, 0, 0, 2]);
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (values) => {
        expect(tenths(values).reduce((sum, count) => sum + count, 0)).toBe(values.length);
      }),
    );
  });

  test('ticks are few, rising and on the axis', () => {
    const ends = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(ends, ends, (a, b) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        fc.pre(max - min > 1e-6);
        const ticks = ticksOf({ min, max });
        expect(ticks.length).toBeLessThanOrEqual(7);
        const slack = (max - min) * 1e-6;
        for (const tick of ticks) expect(tick >= min - slack && tick <= max + slack).toBe(true);
      }),
    );
    expect(ticksOf({ min: 0, max: 10 })).toEqual([0, 2, 4, 6, 8, 10]);
  });

  test('trend: the mean per value where values are few, per stretch where they are many', () => {
    expect(
      trend([
        { x: 2, y: 1 },
        { x: 1, y: 0 },
        { x: 2, y: 0 },
      ]),
    ).toEqual([
      { x: 1, y: 0 },
      { x: 2, y: 0.5 },
    ]);
    expect(trend(Array.from({ length: 100 }, (_, x) => ({ x, y: x })))).toHaveLength(8);
  });

  test('no number on the page is broken, whatever there is to draw', () => {
    const labels = { x: 'x', y: 'y' };
    for (const points of [
      [],
      [{ x: 0, y: 0 }],
      [
        { x: 5, y: 0.5 },
        { x: 5, y: 0.5 },
      ],
      [
        { x: 1, y: 1 },
        { x: 9, y: 0 },
      ],
    ]) {
      const drawn = [
        scatter('t', labels, points),
        scatter('t', labels, points, false),
        curve('t', labels, points),
      ];
      for (const { markup } of [
        ...drawn,
        histogram(
          't',
          'x',
          points.map(({ y }) => y),
        ),
      ]) {
        expect(markup).not.toMatch(/NaN|Infinity|undefined/);
      }
    }
    expect(countBars('t', {}).markup).toContain('none');
    expect(countBars(HOSTILE, { [HOSTILE]: 2 }).markup).not.toMatch(/<script|<img/);
  });

  test('thousands of equal points are few circles', () => {
    const points = Array.from({ length: 5_000 }, (_, n) => ({ x: n % 10, y: (n % 4) / 4 }));
    expect(scatter('t', { x: 'x', y: 'y' }, points).markup.match(/<circle/g)?.length).toBeLessThanOrEqual(40);
  });
});

describe('beside published results', () => {
  test('only the same data, in full, with 4 samples may be compared', () => {
    const same = evaluationOf({ dataset: 'widesearch', questions: 200, samples: 4 });
    expect(incomparable(same, WIDESEEK_WIDESEARCH)).toEqual([]);
    expect(incomparable({ ...same, questions: 50, samples: 1 }, WIDESEARCH_OFFICIAL)).toEqual([
      'it has 50 of the 200 questions',
      'it has 1 samples a question instead of 4',
    ]);
    expect(incomparable(evaluationOf({ samples: 4 }), WIDESEEK_QA)).toEqual([
      'it ran on another data set (sample)',
    ]);
  });

  test('a run on another data set is labelled so; a question set stands in its own column', () => {
    const table = (dataset: string, kind: 'qa' | 'table', scores: Record<string, number>) => {
      const evaluation = evaluationOf({ dataset, questions: 1, samples: 1 });
      const document = metricDocument(evaluation, [sampleOf('q', 0, { kind, scores })]);
      return publishedTables(evaluation, document, new Set([kind])).markup.replace(/\s+/g, ' ');
    };
    const other = table('sample', 'table', { f1_by_item: 0.5 });
    expect(other).toContain('Not comparable with this run:');
    expect(other).not.toContain('Gemini');
    expect(table('widesearch', 'table', { f1_by_item: 0.5 })).toContain('Gemini');
    expect(table('popqa', 'qa', { accuracy: 0.25 })).toMatch(
      /this run: extractive on popqa<\/td ?> ?<td class="n">–<\/td ?> ?<td class="n">–<\/td ?> ?<td class="n">–<\/td ?> ?<td class="n">25\.0</,
    );
  });
});
