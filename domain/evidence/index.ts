export { groundAnswer } from './answer.ts';
export type { AnswerEvidence } from './answer.ts';
export { evidenceChain } from './chain.ts';
export type { ChainLink } from './chain.ts';
export type { EvidencePage } from './corpus.ts';
export { groundTable } from './ground.ts';
export type { GroundOptions } from './ground.ts';
export { summariseEvidence } from './summary.ts';
export type { Coverage } from './summary.ts';
