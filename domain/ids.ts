/** A short, stable, non-cryptographic hash (FNV-1a, 2 × 32 bits, base 36): for ids that people read, never for content. */
export function shortHash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0xcbf29ce4;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + i), 0x01000197);
  }
  return ((a >>> 0).toString(36) + (b >>> 0).toString(36)).slice(0, 10);
}

/** Workflow id of a subagent: where it was started and on what (`…/t2/sub/3-1k9x…`). `turn` and `n` from 1. */
export const subagentId = (leadId: string, turn: number, n: number, subtask: string): string =>
  `${leadId}/t${turn}/sub/${n}-${shortHash(subtask)}`;

/** The run that a workflow id belongs to: `seek/<run>` and everything below it, `eval/<run>`; a question of an evaluation is a run of its own. */
export function runIdOf(workflowId: string): string {
  const [head, run, ...rest] = workflowId.split('/');
  const whole = head === 'seek' || (head === 'eval' && rest.length === 0);
  return run !== undefined && whole ? run : workflowId.replace(/[^\p{L}\p{N}._-]+/gu, '-');
}
