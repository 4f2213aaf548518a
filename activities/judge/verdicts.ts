import { z } from 'zod';
import { canonicalJson, sha256 } from '../store/hashing.ts';
import type { Journal, Ref } from '../store/port.ts';

/** Part of every verdict's name: another wording of the prompts asks anew. Raise it when a prompt changes. */
export const JUDGE_PROMPT_VERSION = '1';

/** One thing that a judge decides. Its verdict does not depend on what else stood in the same call. */
export type Subject =
  | { kind: 'pair'; criterion: string; response: string; target: string }
  /** `reference` is sorted and without duplicates. */
  | { kind: 'entry'; entry: string; reference: string[] }
  | { kind: 'qa'; question: string; answers: string[]; prediction: string };

const recordSchema = z.object({
  /** 0 or 1; for an entry its reference spelling, or null where the reference has no such thing. */
  value: z.union([z.literal(0), z.literal(1), z.string(), z.null()]),
  rationale: z.string().default(''),
  /** Hash of the raw reply in the store. */
  reply: z.string(),
});
export type VerdictRecord = z.infer<typeof recordSchema>;

/** Journal key of a verdict: a hash of the judge's name, the prompt version and the subject. */
export const verdictKey = (model: string, subject: Subject): string =>
  `judge:${sha256(canonicalJson({ model, prompt: JUDGE_PROMPT_VERSION, subject }))}`;

/** A stored verdict; undefined where there is none, or none that can be read. */
export async function recallVerdict(journal: Journal, key: string): Promise<VerdictRecord | undefined> {
  const found = recordSchema.safeParse(await journal.recall(key));
  return found.success ? found.data : undefined;
}

/** A verdict as the score document keeps it. */
export interface AuditedVerdict {
  subject: Subject;
  value: VerdictRecord['value'];
  rationale: string;
  reply: Ref;
}
