import { z } from 'zod';
import type { Documents } from '../store/port.ts';

/** The weights that rollouts sample from now. The train run writes it; agents read it at every turn. */
export const publishedPolicySchema = z.strictObject({
  /** Policy version: 0 is the start, one more after every optimiser step that was published. */
  version: z.int().min(0),
  /** Snapshot path on the engine; null is the base model. */
  path: z.string().nullable(),
  /** Base address of the engine that serves it. */
  url: z.url(),
});
export type PublishedPolicy = z.infer<typeof publishedPolicySchema>;

const COLLECTION = 'policy';

/** Publishes the weights of a train run; replaces what was there. */
export const publishPolicy = (documents: Documents, run: string, policy: PublishedPolicy): Promise<void> =>
  documents.put(COLLECTION, run, publishedPolicySchema.parse(policy));

/** The latest published weights of a train run; undefined before the first. */
export async function readPolicy(documents: Documents, run: string): Promise<PublishedPolicy | undefined> {
  const value = await documents.get(COLLECTION, run);
  return value === undefined ? undefined : publishedPolicySchema.parse(value);
}
