import { createHash } from 'node:crypto';

/**
 * The replica that serves a session: rendezvous hashing, so that a session stays where its prefix cache is
 * hot, and when a replica leaves or joins only the sessions that gain or lose it move. The order of `urls`
 * does not matter. Throws a RangeError for an empty list.
 */
export function pickReplica(session: string, urls: readonly string[]): string {
  let best: { url: string; weight: string } | undefined;
  for (const url of urls) {
    const weight = createHash('sha256').update(`${session}\n${url}`).digest('hex');
    if (!best || weight > best.weight) best = { url, weight };
  }
  if (!best) throw new RangeError('urls: a model needs at least one base URL');
  return best.url;
}
