import { register } from 'tsx/esm/api';

// A thread inherits no loader from the process that starts it (`--import tsx` has no effect there), so it brings its own.
register();
const { default: extractInThread } = await import('./extract-worker.ts');

export default extractInThread;
