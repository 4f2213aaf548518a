import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { WideseekError } from '../../domain/errors.ts';
import { packageRoot, wideseekHome } from '../../infra/local/home.ts';
import { runningStack } from '../../infra/local/stack.ts';
import { tsxCommand } from '../../infra/local/worker-process.ts';
import { type Cli, command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type Io, tell } from '../io.ts';

const addressFor = (io: Io): string => {
  const address = io.env.TEMPORAL_ADDRESS || runningStack(wideseekHome(io.env))?.address;
  if (address) return address;
  throw new WideseekError('Overloaded', 'there is no Temporal server to work for', {
    hint: 'Set TEMPORAL_ADDRESS, or start a local one with `wideseek up`',
  });
};

/** Runs a worker in the foreground until it is told to stop. Returns its exit status. */
const runWorker = async (io: Io, queues?: string): Promise<number> => {
  const address = addressFor(io);
  const { command: program, args } = tsxCommand('workers/main.ts');
  tell(io, `Working for ${address}; Ctrl-C stops it after what it holds is done.`);
  const child = spawn(program, args, {
    cwd: packageRoot,
    env: { ...io.env, TEMPORAL_ADDRESS: address, ...(queues ? { WIDESEEK_QUEUES: queues } : {}) },
    stdio: 'inherit',
    // Out of the terminal's group: Ctrl-C reaches it once, through us.
    detached: true,
  });
  const forward = (signal: NodeJS.Signals) => () => void child.kill(signal);
  const stopListening = io.onInterrupt(forward('SIGINT'));
  const onTerm = forward('SIGTERM');
  process.on('SIGTERM', onTerm);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? EXIT.interrupted;
  } finally {
    stopListening();
    process.off('SIGTERM', onTerm);
  }
};

/** `wideseek worker` */
export const workerCommand = (io: Io, cli: Cli) =>
  command(
    'worker',
    'Run one more worker in the foreground, for the server at TEMPORAL_ADDRESS or the local one',
    ['wideseek worker', 'TEMPORAL_ADDRESS=temporal:7233 wideseek worker --queues model'],
  )
    .option('--queues <names>', 'serve only these queues of configs/workers.yaml, separated by commas')
    .action(async ({ queues }: { queues?: string }) => cli.done(await runWorker(io, queues)));
