export { createExtractiveModel } from './model.ts';
