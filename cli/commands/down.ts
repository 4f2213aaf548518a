import { wideseekHome } from '../../infra/local/home.ts';
import { stopStack } from '../../infra/local/stack.ts';
import { type Cli, command } from '../command.ts';
import { type Io, say, sayJson } from '../io.ts';

/** `wideseek down` */
export const downCommand = (io: Io, cli: Cli) =>
  command('down', 'Stop worker and server; runs go on when they are up again', ['wideseek down'])
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async ({ json }: { json?: boolean }) => {
      const stopped = await stopStack(wideseekHome(io.env));
      if (json) sayJson(io, { stopped });
      else say(io, stopped ? 'Stopped.' : 'Nothing was running.');
      cli.done(0);
    });
