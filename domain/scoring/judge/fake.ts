import { z } from 'zod';
import type { JudgeReply, JudgeRequest } from './request.ts';

export const fakeJudgeSchema = z.object({
  aliases: z.record(z.string(), z.string()).default({}),
  equal: z.array(z.tuple([z.string(), z.string()])).default([]),
  overrides: z
    .record(
      z.string(),
      z.object({ raw: z.string().optional(), none: z.boolean().optional(), raise: z.boolean().optional() }),
    )
    .default({}),
});
export type FakeJudgeRules = z.input<typeof fakeJudgeSchema>;

/** The deterministic stand-in for the judge model that the conformance corpus describes (section 13). */
export function fakeJudge(rules: FakeJudgeRules): (request: JudgeRequest) => JudgeReply {
  const { aliases, equal, overrides } = fakeJudgeSchema.parse(rules);
  const accepted = new Set(equal.map((pair) => JSON.stringify(pair)));
  return (request) => {
    const override = overrides[request.scope];
    if (override?.raise === true) return { kind: 'failed', reason: `${request.scope}: the judge raised` };
    if (override?.none === true) return { kind: 'text', text: null };
    if (override?.raw !== undefined) return { kind: 'text', text: override.raw };
    const map = request.kind === 'align' ? align(request, aliases) : grade(request, accepted);
    return { kind: 'text', text: '```json\n' + JSON.stringify(map) + '\n```' };
  };
}

function align(
  request: Extract<JudgeRequest, { kind: 'align' }>,
  aliases: Record<string, string>,
): Record<string, string> {
  const verbatim = new Set(request.reference);
  const byCanon = new Map<string, string>();
  for (const entry of request.reference) if (!byCanon.has(canon(entry))) byCanon.set(canon(entry), entry);
  return Object.fromEntries(
    request.vocabulary.flatMap((entry) => {
      const target = Object.hasOwn(aliases, entry)
        ? aliases[entry]
        : verbatim.has(entry)
          ? entry
          : byCanon.get(canon(entry));
      return target === undefined ? [] : [[entry, target]];
    }),
  );
}

function grade(
  request: Extract<JudgeRequest, { kind: 'judge' }>,
  accepted: ReadonlySet<string>,
): Record<string, number> {
  const fold = (text: string): string => text.trim().toLowerCase();
  return Object.fromEntries(
    request.pairs.map(({ index, response, target }) => {
      const same = fold(response) === fold(target) || accepted.has(JSON.stringify([response, target]));
      return [`idx_${index}`, same ? 1 : 0];
    }),
  );
}

const canon = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[ *_`-]/g, '');
