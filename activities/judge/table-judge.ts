import { judgeMessages } from '../../domain/scoring/judge/prompts.ts';
import { parseBinary, parseReplyObject } from '../../domain/scoring/judge/reply.ts';
import type { Judge, JudgeRequest } from '../../domain/scoring/judge/request.ts';
import { sameText } from '../../domain/scoring/metrics.ts';
import type { Ballot, JudgeSession } from './session.ts';

type Pairs = Extract<JudgeRequest, { kind: 'judge' }>;
type Alignment = Extract<JudgeRequest, { kind: 'align' }>;

/**
 * The judge that the table evaluators ask. Equal texts are decided without a call, the rest verdict by verdict;
 * the reply is written as a model would have written it, with what stayed open left out. The session asks again by
 * itself, so an evaluator's further attempts get the same reply at no cost.
 */
export function createTableJudge(session: JudgeSession): Judge {
  return async (request) => {
    const map = request.kind === 'align' ? await align(request, session) : await grade(request, session);
    const outage = session.outage();
    if (outage !== null) return { kind: 'failed', reason: outage.message };
    return { kind: 'text', text: `\`\`\`json\n${JSON.stringify(map)}\n\`\`\`` };
  };
}

async function grade(request: Pairs, session: JudgeSession): Promise<Record<string, unknown>> {
  const same = ({ response, target }: Pairs['pairs'][number]): boolean =>
    sameText(response.trim(), target.trim());
  const asked = request.attempt > 0 ? [] : request.pairs.filter((pair) => !same(pair));
  const { criterion } = request;
  const ballot: Ballot = {
    subjects: asked.map(({ response, target }) => ({ kind: 'pair', criterion, response, target })),
    messages: (positions) =>
      judgeMessages({
        ...request,
        pairs: positions.flatMap((index) => (asked[index] ? [{ ...asked[index], index }] : [])),
      }),
    read: (text, positions) => {
      const scores = parseReplyObject(text);
      if (scores === null) return null;
      return new Map(
        positions.flatMap((position) => {
          const value = parseBinary(scores[`idx_${position}`]);
          return value === null ? [] : [[position, { value, rationale: '' }]];
        }),
      );
    },
  };
  const verdicts = await session.decide(ballot);
  const entries = request.pairs.flatMap((pair): [string, unknown][] => {
    const verdict = verdicts.get(asked.indexOf(pair));
    const value = same(pair) ? 1 : verdict?.value;
    return value === undefined ? [] : [[`idx_${pair.index}`, value]];
  });
  return Object.fromEntries(entries);
}

async function align(request: Alignment, session: JudgeSession): Promise<Record<string, unknown> | null> {
  const known = new Set(request.reference);
  const asked =
    request.attempt > 0 ? [] : [...new Set(request.vocabulary)].filter((entry) => !known.has(entry));
  const reference = [...known].sort();
  const ballot: Ballot = {
    subjects: asked.map((entry) => ({ kind: 'entry', entry, reference })),
    messages: (positions) =>
      judgeMessages({
        ...request,
        vocabulary: positions.flatMap((index) => asked[index] ?? []),
        reference: [...known],
      }),
    read: (text, positions) => {
      const map = parseReplyObject(text);
      if (map === null) return null;
      return new Map(
        positions.map((position) => {
          const target = map[asked[position] ?? ''];
          const value = typeof target === 'string' && known.has(target) ? target : null;
          return [position, { value, rationale: '' }];
        }),
      );
    },
  };
  const verdicts = await session.decide(ballot);
  // Null is no JSON object: the evaluator sees that the alignment could not be read and says so.
  if (request.attempt > 0 || verdicts.size < asked.length) return null;
  const targets = new Map(asked.map((entry, index) => [entry, verdicts.get(index)?.value]));
  return Object.fromEntries(
    request.vocabulary.flatMap((entry) => {
      const target = known.has(entry) ? entry : targets.get(entry);
      return typeof target === 'string' ? [[entry, target]] : [];
    }),
  );
}
