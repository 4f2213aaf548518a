/** Names that the CLI, the UI and the workflows share. Without zod, so that workflow code may import them. */
export const TASK_QUEUE = 'wideseek';
export const seekWorkflowId = (runId: string): string => `seek/${runId}`;
/**
 * Names of the handlers of `seek`. `guide` takes one string and resolves when the next turn has it. `asks` says what the
 * lead wants to know, `clarify` takes the answer.
 */
export const SEEK_HANDLERS = {
  progress: 'progress',
  table: 'table',
  guide: 'guide',
  asks: 'asks',
  clarify: 'clarify',
} as const;
