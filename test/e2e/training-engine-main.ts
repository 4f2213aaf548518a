import { startFakeEngine } from '../../activities/trainer/fake-engine.ts';

/** A fake engine as a process: argv is its port and the folder of its checkpoints. */
const [port, checkpoints] = process.argv.slice(2);
await startFakeEngine({ port: Number(port), checkpoints });
