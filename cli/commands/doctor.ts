import { type Cli, command } from '../command.ts';
import { type Finding, findingLines } from '../doctor/check.ts';
import { checkEngine } from '../doctor/engine-check.ts';
import { checkEncoder, checkIndex, checkNode, checkStore } from '../doctor/local-checks.ts';
import { checkModel } from '../doctor/model-check.ts';
import { checkServer } from '../doctor/server-checks.ts';
import { EXIT } from '../exit.ts';
import { type Io, say, sayJson } from '../io.ts';

const LOCAL = [checkNode, checkStore, checkIndex, checkEncoder, checkModel, checkEngine];

/** `wideseek doctor` */
export const doctorCommand = (io: Io, cli: Cli) =>
  command('doctor', 'Check everything that a question needs, and say what to do about what is wrong', [
    'wideseek doctor',
    'wideseek doctor --json',
  ])
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async ({ json }: { json?: boolean }) => {
      const findings: Finding[] = [];
      const add = (finding: Finding): void => {
        findings.push(finding);
        if (!json) for (const line of findingLines(finding)) say(io, line);
      };
      for (const check of LOCAL) add(await check(io));
      for (const finding of await checkServer(io)) add(finding);
      const ok = findings.every(({ state }) => state !== 'fail');
      if (json) sayJson(io, { ok, checks: findings });
      cli.done(ok ? EXIT.ok : EXIT.unreachable);
    });
