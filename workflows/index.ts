export { evaluate } from './evaluate.ts';
export { indexCorpus } from './index-corpus.ts';
export { seek } from './seek.ts';
export { subagent } from './subagent.ts';
