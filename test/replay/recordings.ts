import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** Where the recordings are, one JSON file a workflow run. */
export const HISTORIES = new URL('./histories/', import.meta.url);

const recordingSchema = z.object({
  workflowId: z.string(),
  /** Temporal's own JSON form of a history. */
  history: z.looseObject({ events: z.array(z.looseObject({})).min(1) }),
});
export type Recording = z.infer<typeof recordingSchema>;

/** All recordings by name. */
export const readRecordings = (): Map<string, Recording> =>
  new Map(
    readdirSync(HISTORIES)
      .sort()
      .map((file) => [
        file.replace(/\.json$/, ''),
        recordingSchema.parse(JSON.parse(readFileSync(new URL(file, HISTORIES), 'utf8'))),
      ]),
  );
