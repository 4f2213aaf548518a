import { z } from 'zod';
import type { Page } from './port.ts';

/** One searchable passage. Ids count up from 0 in corpus order; skipped empty records leave gaps (spec 2.7). */
export interface Passage {
  id: number;
  url: string;
  title: string;
  /** What a hit shows. */
  text: string;
  /** The record as it was read; kept whole by stores that can. */
  record: Readonly<Record<string, unknown>>;
}

/** How far a build has come: everything before it is written, nothing after it counts. */
export const checkpointSchema = z.object({
  generation: z.string(),
  /** Index into the corpus's sources; equal to their number when all are read. */
  source: z.int().min(0),
  /** Records of that source that are done. */
  records: z.int().min(0),
  nextId: z.int().min(0),
  passages: z.int().min(0),
  pages: z.int().min(0),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** What a finished index says about itself. */
export interface IndexManifest {
  /** Name of the build: a hash of corpus content, encoder and parameters. */
  generation: string;
  encoder: string;
  /** 0 where the index is by words only. */
  dimensions: number;
  /** `latin`: text in other scripts has no vectors. Default: all has. */
  vectors?: 'all' | 'latin';
  passages: number;
  pages: number;
}

/**
 * A store that an index is built in. A build goes on beside the index in use under its own generation, and
 * `publish` switches readers over in one step.
 */
export interface IndexTarget {
  /** The index in use, if there is one. */
  current(): Promise<{ generation: string } | undefined>;
  /** Creates the generation's tables where they do not exist. `dimensions` 0: no vectors. */
  prepare(generation: string, dimensions: number): Promise<void>;
  /** Makes the store ready to go on after the checkpoint: what lies behind it is dropped or will be overwritten. False: the store lacks something before it, so it cannot be used. */
  rewind(checkpoint: Checkpoint): Promise<boolean>;
  /** Writes one batch; `vectors` are in the passages' order, undefined for those that are searched by words only. */
  write(passages: readonly Passage[], vectors: readonly (Float32Array | undefined)[]): Promise<void>;
  /** `firstId` counts the pages written before, from 0. Of pages with one canonical URL the last is read. */
  writePages(pages: readonly Page[], firstId: number): Promise<void>;
  /** Remembers the checkpoint beside the data, so that a build without Temporal's memory can go on too. */
  save(checkpoint: Checkpoint): Promise<void>;
  saved(): Promise<Checkpoint | undefined>;
  /** Builds the search indexes and waits for them. */
  finish(signal: AbortSignal): Promise<void>;
  /** What is really stored, for the final check. Pages with one canonical URL may be stored once. */
  count(): Promise<{ passages: number; pages: number }>;
  /** Makes this generation the one in use and removes generations older than the one before. */
  publish(manifest: IndexManifest): Promise<void>;
}
