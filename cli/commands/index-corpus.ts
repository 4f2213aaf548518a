import { resolve } from 'node:path';
import { loadCorpus } from '../../configs/corpus-schema.ts';
import { type Cli, command } from '../command.ts';
import { type Io, say, sayJson } from '../io.ts';
import { buildIndex } from '../run/corpus.ts';
import { withSession } from '../run/session.ts';

const summary = (name: string, result: unknown): string => {
  const facts = Object.entries(result ?? {}).filter(([, value]) => typeof value !== 'object');
  return [`Index "${name}" is ready.`, ...facts.map(([key, value]) => `  ${key}: ${String(value)}`)].join(
    '\n',
  );
};

/** `wideseek index` */
export const indexCommand = (io: Io, cli: Cli) =>
  command('index', 'Build the search index of a corpus; a build that was stopped goes on where it was', [
    'wideseek index sample',
    'wideseek index configs/corpus/sample.yaml --json',
  ])
    .argument('<corpus>', 'the name of a file in configs/corpus/, or the path of one')
    .option('--json', 'print exactly one JSON object on stdout')
    .option('--keep', 'leave server and worker running afterwards')
    .action(async (corpus: string, options: { json?: boolean; keep?: boolean }) => {
      // The worker may stand in another folder, so a path travels whole.
      const config = /^[\w-]+$/.test(corpus) ? corpus : resolve(io.cwd, corpus);
      const { name } = await loadCorpus(config);
      const result = await withSession(io, options, (session) => buildIndex(io, session, config));
      if (options.json) sayJson(io, result);
      else say(io, summary(name, result));
      cli.done(0);
    });
