import { z } from 'zod';

/**
 * What a question makes its agents do: a lead of `fanouts + 1` turns that `fanouts` times starts `width` subagents of
 * `turns` turns. Every turn is one model call; every subagent turn but the last is followed by one tool call.
 */
const workSchema = z.object({
  fanouts: z.number().int().min(1),
  width: z.number().int().min(1),
  turns: z.number().int().min(1),
  /** How long one model call takes, ms. */
  modelMs: z.number().min(0),
  toolMs: z.number().min(0),
  /** Makes two questions of the same shape different, so that nothing is stored already. */
  salt: z.string(),
});
export type Work = z.infer<typeof workSchema>;
export type Shape = Pick<Work, 'fanouts' | 'width' | 'turns'>;
export type Latency = Pick<Work, 'modelMs' | 'toolMs'>;

export interface Counts {
  model: number;
  tool: number;
}

/** Calls that one question needs, all agents together. */
export const expectedCalls = ({ fanouts, width, turns }: Shape): Counts => ({
  model: fanouts + 1 + fanouts * width * turns,
  tool: fanouts * width * (turns - 1),
});

/**
 * Milliseconds below which no schedule can come: the lead's turns follow one another, each fan-out lasts as long as one
 * of its equal subagents, and a subagent's calls follow one another.
 */
export const criticalPathMs = ({ fanouts, turns, modelMs, toolMs }: Shape & Latency): number =>
  (fanouts + 1) * modelMs + fanouts * (turns * modelMs + (turns - 1) * toolMs);

const MARK = 'Two facts of every item of the workload ';

/** A question that carries its workload, so that a model without memory can act it out. */
export const questionOf = (work: Work): string => MARK + JSON.stringify(work);

/** Reads the workload back. Throws where `question` is not one of `questionOf`. */
export const workOf = (question: string): Work => {
  if (!question.startsWith(MARK))
    throw new Error(`not a question of the benchmark: ${question.slice(0, 80)}`);
  return workSchema.parse(JSON.parse(question.slice(MARK.length)));
};
