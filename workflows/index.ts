export { seek } from './seek.ts';
export { subagent } from './subagent.ts';
