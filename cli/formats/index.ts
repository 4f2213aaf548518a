export { FORMATS, formatNamed, formatResult } from './result.ts';
export type { Format } from './result.ts';
export { terminalTable } from './terminal.ts';
export { displayWidth } from './width.ts';
