import { wideseekHome } from '../../infra/local/home.ts';
import { ensureStack } from '../../infra/local/stack.ts';
import { type Cli, command } from '../command.ts';
import { type Io, say, sayJson, tell } from '../io.ts';
import { integer } from '../settings.ts';

interface UpOptions {
  port?: number;
  uiPort?: number;
  workers?: number;
  json?: boolean;
}

/** `wideseek up` */
export const upCommand = (io: Io, cli: Cli) =>
  command('up', 'Start the Temporal server and a worker and leave them running', [
    'wideseek up',
    'wideseek up --port 7300 --ui-port 8300',
  ])
    .option(
      '--port <port>',
      'gRPC port of the server; default 7233 or a free one',
      integer('--port', 1, 65_535),
    )
    .option(
      '--ui-port <port>',
      'port of the web UI; default 8233 or a free one',
      integer('--ui-port', 1, 65_535),
    )
    .option('--workers <n>', 'worker processes', integer('--workers', 1, 64))
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async ({ port, uiPort, workers, json }: UpOptions) => {
      const home = wideseekHome(io.env);
      const onStatus = (line: string): void => tell(io, line);
      const stack = await ensureStack({ home, env: io.env, keep: true, port, uiPort, workers, onStatus });
      const { address, uiUrl, startedByUs } = stack;
      await stack.release();
      if (json) sayJson(io, { address, uiUrl, home, started: startedByUs });
      else {
        say(io, `${startedByUs ? 'Started' : 'Running already'}: Temporal at ${address}`);
        if (uiUrl) say(io, `Web UI: ${uiUrl}`);
        say(io, `Data:   ${home}`);
        say(io, 'Stop:   wideseek down');
      }
      cli.done(0);
    });
