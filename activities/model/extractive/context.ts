import type { Budget, Memory } from './memory.ts';
import type { Ranker } from './ranker.ts';
import type { Stance } from './role.ts';
import type { Task } from './task-mode.ts';

/** Everything one turn may look at. */
export interface ChatContext {
  task: Task;
  memory: Memory;
  budget: Budget;
  ranker: Ranker;
  stance: Stance;
  maxTokens: number;
}
