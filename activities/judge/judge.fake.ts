import type { ChatModel, ModelRequest } from '../model/port.ts';

/** A judge that works by rule: texts are the same when their letters and digits are, or when `accepted` says so. */
export interface FakeJudge extends ChatModel {
  requests: ModelRequest[];
}

export interface FakeJudgeOptions {
  name?: string;
  /** `response = target` pairs that count as the same, and `source = reference` names of one thing. */
  accepted?: readonly (readonly [string, string])[];
  /** Replaces a reply; undefined leaves it. May throw. */
  override?: (request: ModelRequest, n: number, reply: string) => string | undefined;
}

const canon = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Reads our own prompts, so a prompt whose shape changes makes it answer nothing. */
export function createFakeJudge({
  name = 'fake-judge',
  accepted = [],
  override,
}: FakeJudgeOptions = {}): FakeJudge {
  const requests: ModelRequest[] = [];
  const same = (a: string, b: string): boolean =>
    canon(a) === canon(b) || accepted.some(([left, right]) => left === a && right === b);

  const answer = (text: string): unknown => {
    const pairs = /PAIRS\n(\{[\s\S]*?\n\})/.exec(text)?.[1];
    if (pairs) {
      const parsed = JSON.parse(pairs) as Record<string, { response: string; target: string }>;
      return Object.fromEntries(
        Object.entries(parsed).map(([key, pair]) => [key, same(pair.response, pair.target) ? 1 : 0]),
      );
    }
    const lists = /SOURCE\n(\[.*\])\n\nREFERENCE\n(\[.*\])/.exec(text);
    if (lists) {
      const [source, reference] = [lists[1] ?? '[]', lists[2] ?? '[]'].map(
        (part) => JSON.parse(part) as string[],
      );
      return Object.fromEntries(
        (source ?? []).flatMap((entry) => {
          const target = reference?.find((candidate) => same(entry, candidate));
          return target === undefined ? [] : [[entry, target]];
        }),
      );
    }
    const qa = /Labelled answer: (.*)\n\nPredicted answer: (.*)/.exec(text);
    return { rationale: 'by rule', judgement: same(qa?.[2] ?? '', qa?.[1] ?? '') ? 'correct' : 'incorrect' };
  };

  return {
    name,
    requests,
    async complete(request) {
      const n = requests.push(request) - 1;
      const reply = `\`\`\`json\n${JSON.stringify(answer(request.messages.at(-1)?.content ?? ''))}\n\`\`\``;
      const content = override?.(request, n, reply) ?? reply;
      return {
        message: { role: 'assistant', content },
        finishReason: 'stop',
        usage: { promptTokens: 100, completionTokens: 20 },
      };
    },
  };
}
