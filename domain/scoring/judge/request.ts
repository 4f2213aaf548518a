/** One question to the judge model. Plain data, so that it can cross an activity boundary and name a cached reply. */
export type JudgeRequest =
  | {
      kind: 'align';
      /** `align:columns` or `align:key:<column>`. */
      scope: string;
      vocabulary: string[];
      reference: string[];
      /** 0 for the first try; a retry is another request, so a cached unreadable reply is not read again. */
      attempt: number;
    }
  | {
      kind: 'judge';
      /** `judge:<column>`. */
      scope: string;
      criterion: string;
      /** `index` is the row's place in join order and names the pair in the reply. */
      pairs: { index: number; response: string; target: string }[];
      attempt: number;
    };

/** `text` null: the model answered with nothing. `failed`: no answer after the transport's own retries. */
export type JudgeReply = { kind: 'text'; text: string | null } | { kind: 'failed'; reason: string };

/** One call of the judge model. May throw; a throw counts as `failed`. */
export type Judge = (request: JudgeRequest) => Promise<JudgeReply>;

/**
 * An evaluator asks for batches of independent requests and gets the replies in the same order. It does nothing else,
 * so a workflow, a test and a rescoring of stored replies can all drive it.
 */
export type Asking<T> = Generator<JudgeRequest[], T, JudgeReply[]>;

export interface Judgement {
  request: JudgeRequest;
  reply: JudgeReply;
}

/** Runs an evaluator against a judge, a batch at a time in parallel, and keeps what was asked and answered. */
export async function driveJudge<T>(
  asking: Asking<T>,
  judge: Judge,
): Promise<{ result: T; judgements: Judgement[] }> {
  const judgements: Judgement[] = [];
  let step = asking.next();
  while (step.done !== true) {
    const requests = step.value;
    const replies = await Promise.all(requests.map((request) => callSafely(judge, request)));
    requests.forEach((request, index) => {
      judgements.push({ request, reply: replies[index] ?? { kind: 'failed', reason: 'no reply' } });
    });
    step = asking.next(replies);
  }
  return { result: step.value, judgements };
}

/** The same for a judge that answers at once, as the stand-in of the conformance corpus does. */
export function driveJudgeSync<T>(
  asking: Asking<T>,
  judge: (request: JudgeRequest) => JudgeReply,
): { result: T; judgements: Judgement[] } {
  const judgements: Judgement[] = [];
  let step = asking.next();
  while (step.done !== true) {
    const batch = step.value.map((request) => ({ request, reply: judge(request) }));
    judgements.push(...batch);
    step = asking.next(batch.map(({ reply }) => reply));
  }
  return { result: step.value, judgements };
}

async function callSafely(judge: Judge, request: JudgeRequest): Promise<JudgeReply> {
  try {
    return await judge(request);
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * A judge that answers from stored judgements and asks `fallback` only what was never asked. Rescoring with changed
 * rules makes no call as long as the rules ask the same questions.
 */
export function replayJudge(stored: readonly Judgement[], fallback: Judge): Judge {
  const known = new Map(stored.map(({ request, reply }) => [JSON.stringify(request), reply]));
  return async (request) => known.get(JSON.stringify(request)) ?? fallback(request);
}
