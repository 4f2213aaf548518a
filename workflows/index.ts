export { evaluate } from './evaluate.ts';
export { indexCorpus } from './index-corpus.ts';
export { seek } from './seek.ts';
export { subagent } from './subagent.ts';
export { evaluatePolicy } from './train-evaluate.ts';
export { rollout } from './rollout.ts';
export { rolloutGroup } from './rollout-group.ts';
export { train } from './train.ts';
