import { stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { CATALOGUE } from '../../activities/datasets/catalogue.ts';
import { pullDataset } from '../../activities/datasets/hub/pull.ts';
import { type DatasetSpec, readDataset } from '../../activities/datasets/load.ts';
import { type Cli, command } from '../command.ts';
import { nest } from '../data/nest.ts';
import { pullMeter } from '../data/pull-meter.ts';
import { EXIT } from '../exit.ts';
import { type Io, say, sayJson, tell } from '../io.ts';

/** A name of the catalogue as it is; anything else is a path. */
async function specOf(io: Io, what: string, as: string | undefined): Promise<DatasetSpec> {
  const path = resolve(io.cwd, what);
  const isPath = (await stat(path).catch(() => undefined)) !== undefined;
  if (!isPath && CATALOGUE.has(what.toLowerCase())) return { name: what };
  return { name: as ?? basename(what, extname(what)), path };
}

/** `wideseek data check` */
const checkCommand = (io: Io, cli: Cli) =>
  command(
    'check',
    'Find records that cannot be scored: colliding keys, missing columns, unknown functions …',
    ['wideseek data check widesearch', 'wideseek data check questions.jsonl'],
  )
    .argument('<file-or-name>', 'a data file, a folder, or a data set of the list')
    .option('--as <name>', 'read a file as this data set; default: by what each record holds')
    .option('--split <name>', 'where splits are files')
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async (what: string, options: { as?: string; split?: string; json?: boolean }) => {
      const spec = { ...(await specOf(io, what, options.as)), split: options.split };
      const { file, questions, broken, warnings, skipped } = await readDataset(spec, { env: io.env });
      const count = (kind: string): number => questions.filter((question) => question.kind === kind).length;
      const ok = broken.length === 0 && questions.length > 0;
      const counts = { questions: questions.length, table: count('table'), qa: count('qa') };
      if (options.json) sayJson(io, { ok, file, ...counts, broken, warnings, skipped });
      else {
        for (const { where, id, problems } of broken)
          for (const problem of problems) say(io, `${where}${id === null ? '' : ` (${id})`}: ${problem}`);
        for (const { where, id, text } of warnings) say(io, `${where} (${id}): warning: ${text}`);
        if (skipped.length > 0)
          say(io, `${skipped.length} records are left out, the first: ${skipped[0]?.text}`);
        say(
          io,
          `${counts.questions} questions (${counts.table} tables, ${counts.qa} single answers), ` +
            `${broken.length} broken records, ${warnings.length} warnings`,
        );
      }
      cli.done(ok ? EXIT.ok : EXIT.usage);
    });

/** `wideseek data pull` */
const pullCommand = (io: Io, cli: Cli) =>
  command(
    'pull',
    'Download a data set from the Hugging Face hub; a download that was cut goes on where it was',
    ['wideseek data pull widesearch', 'HF_TOKEN=… wideseek data pull gaia'],
  )
    .argument('<name>', 'a data set of the list')
    .option('--revision <name>', 'a commit, tag or branch; default: the one pulled before, else the newest')
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async (name: string, options: { revision?: string; json?: boolean }) => {
      const controller = new AbortController();
      const release = io.onInterrupt(() => controller.abort(new Error('interrupted; pull again to go on')));
      const meter = pullMeter(io);
      const licence = CATALOGUE.get(name.toLowerCase())?.hub?.licence;
      if (licence) tell(io, `Licence: ${licence}`);
      try {
        const pulled = await pullDataset(name, {
          env: io.env,
          revision: options.revision,
          signal: controller.signal,
          onProgress: (progress) => meter.show(progress),
        });
        meter.end();
        const { folder, pin, fetched, present } = pulled;
        if (options.json) sayJson(io, { name, folder, fetched, present, ...pin });
        else {
          say(io, `${name}: ${fetched} files fetched, ${present} already there, checksums right`);
          say(io, `  ${pin.id} at ${pin.revision}`);
          say(io, `  ${folder}`);
        }
        cli.done(EXIT.ok);
      } catch (error) {
        meter.end();
        if (!controller.signal.aborted) throw error;
        tell(io, 'Interrupted. What arrived is kept: pull again to go on.');
        cli.done(EXIT.interrupted);
      } finally {
        release();
      }
    });

/** `wideseek data list` */
const listCommand = (io: Io, cli: Cli) =>
  command('list', 'List the data sets by name', ['wideseek data list'])
    .option('--json', 'print exactly one JSON object on stdout')
    .action(({ json }: { json?: boolean }) => {
      const sets = [...CATALOGUE.values()].map(({ name, hub }) => ({ name, source: hub?.id ?? null }));
      if (json) sayJson(io, { sets });
      else for (const { name, source } of sets) say(io, `${name.padEnd(20)}${source ?? 'built in'}`);
      cli.done(EXIT.ok);
    });

/** `wideseek data` */
export const dataCommand = (io: Io, cli: Cli) =>
  nest(
    io,
    command('data', 'Check and fetch benchmark data', ['wideseek data list', 'wideseek data check sample']),
    listCommand(io, cli),
    checkCommand(io, cli),
    pullCommand(io, cli),
  );
