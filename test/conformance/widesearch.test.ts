import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { METRIC_NAMES } from '../../domain/scoring/evaluation.ts';
import { runCase, scoreCase } from '../../domain/scoring/conformance.ts';
import { extractNumberReference } from '../../domain/scoring/numbers.ts';
import { normDate } from '../../domain/scoring/reference/dates.ts';
import { REFERENCE_METRICS } from '../../domain/scoring/reference/metrics.ts';
import { normColumn, normStr } from '../../domain/scoring/reference/text.ts';
import { parseFencedJson } from '../../domain/scoring/judge/reply.ts';

/** The corpus lies beside the checkout, not in it. */
const folder = fileURLToPath(new URL('../../../shared/conformance/', import.meta.url));
const absent = !existsSync(`${folder}widesearch-conformance.jsonl`);
if (absent) console.warn(`skipped: no conformance corpus at ${folder}`);
const reason = absent ? ` (skipped: no corpus at ${folder})` : '';

const lines = (name: string): string[] =>
  absent
    ? []
    : readFileSync(folder + name, 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '');

const numbers = z.record(z.string(), z.number()).nullable();
const caseSchema = z.object({
  id: z.string(),
  expected: numbers,
  right: numbers.optional(),
  reference_status: z.string(),
  judge_calls: z.array(z.object({ scope: z.string(), completion: z.string().nullish() }).loose()),
});

describe.skipIf(absent)(`WideSearch conformance${reason}`, () => {
  const cases = lines('widesearch-conformance.jsonl').map((line) => ({
    line,
    test: caseSchema.parse(JSON.parse(line)),
  }));

  const compare = (score: Record<string, unknown>, wanted: z.infer<typeof numbers>): void => {
    for (const name of METRIC_NAMES) {
      if (wanted === null) expect(score[name]).toBeNull();
      else expect(score[name], name).toBeCloseTo(wanted[name] ?? NaN, 9);
    }
  };

  it('has all 146 cases', () => {
    expect(cases).toHaveLength(146);
  });

  it.each(cases.map(({ line, test }) => [test.id, line, test] as const))(
    '%s in reference mode',
    (_id, line, test) => {
      const { score, judgements } = runCase(line, 'reference');
      compare(score, test.expected);
      const status = test.reference_status
        .replace(/^error:.*/, 'internal_error')
        .replace('gold_rejected', 'config_error');
      expect(score.status).toBe(status);
      expect(judgements.map(({ request }) => request.scope)).toEqual(
        test.judge_calls.map(({ scope }) => scope),
      );
      judgements.forEach(({ request }, index) => {
        const call = test.judge_calls[index];
        if (request.kind === 'align') {
          expect(request.vocabulary).toEqual(call?.['vocabulary']);
          expect(request.reference).toEqual(call?.['reference']);
        }
      });
    },
  );

  it.each(cases.map(({ line, test }) => [test.id, line, test] as const))(
    '%s in default mode',
    (_id, line, test) => {
      const score = scoreCase(line);
      compare(score, test.right === undefined ? test.expected : test.right);
      expect(score.status).not.toBe('internal_error');
    },
  );
});

const unitSchema = z.object({
  fn: z.string(),
  args: z.array(z.unknown()),
  result: z.unknown().optional(),
  raises: z.string().optional(),
  clock_dependent: z.boolean().optional(),
});

describe.skipIf(absent)(`reference functions${reason}`, () => {
  const units = lines('widesearch-units.jsonl').map((line) => unitSchema.parse(JSON.parse(line)));

  const text = (value: unknown): string => z.string().parse(value);
  const call = ({ fn, args }: z.infer<typeof unitSchema>): unknown => {
    if (fn === 'norm_str') return normStr(text(args[0]));
    if (fn === 'extract_number') return extractNumberReference(text(args[0]));
    if (fn === 'norm_date') return normDate(text(args[0]));
    if (fn === 'norm_column') return normColumn(text(args[0]));
    if (fn === 'parse_markdown_json') return parseFencedJson(text(args[0]));
    const metric = REFERENCE_METRICS.get(fn);
    if (metric === undefined) throw new Error(`no function ${fn}`);
    return metric(text(args[0]), text(args[1]), args[2]);
  };

  it('has all 216 entries', () => {
    expect(units).toHaveLength(216);
  });

  it.each(
    units
      .filter((unit) => unit.clock_dependent !== true)
      .map((unit) => [unit.fn, JSON.stringify(unit.args), unit] as const),
  )('%s %s', (_fn, _args, unit) => {
    if (unit.raises !== undefined) expect(() => call(unit)).toThrow(unit.raises);
    else expect(call(unit)).toEqual(unit.result);
  });
});
