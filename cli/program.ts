import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { packageRoot } from '../infra/local/home.ts';
import type { Cli } from './command.ts';
import { askCommand } from './commands/ask.ts';
import { cancelCommand } from './commands/cancel.ts';
import { clarifyCommand } from './commands/clarify.ts';
import { compareCommand } from './commands/compare.ts';
import { dataCommand } from './commands/data.ts';
import { doctorCommand } from './commands/doctor.ts';
import { downCommand } from './commands/down.ts';
import { evalCommand } from './commands/eval.ts';
import { exportCommand } from './commands/export.ts';
import { gcCommand } from './commands/gc.ts';
import { guideCommand } from './commands/guide.ts';
import { indexCommand } from './commands/index-corpus.ts';
import { judgeCommand } from './commands/judge.ts';
import { resumeCommand } from './commands/resume.ts';
import { rolloutCommand } from './commands/rollout.ts';
import { runsCommand } from './commands/runs.ts';
import { scoreCommand } from './commands/score.ts';
import { scheduleCommand } from './commands/schedule.ts';
import { serveCommand } from './commands/serve.ts';
import { sftCommand } from './commands/sft.ts';
import { showCommand } from './commands/show.ts';
import { trainCommand } from './commands/train.ts';
import { upCommand } from './commands/up.ts';
import { watchCommand } from './commands/watch.ts';
import { workerCommand } from './commands/worker.ts';
import { EXIT_HELP } from './exit.ts';
import type { Io } from './io.ts';

const COMMANDS = [
  askCommand,
  indexCommand,
  serveCommand,
  runsCommand,
  showCommand,
  watchCommand,
  guideCommand,
  clarifyCommand,
  cancelCommand,
  resumeCommand,
  exportCommand,
  evalCommand,
  compareCommand,
  scheduleCommand,
  scoreCommand,
  judgeCommand,
  trainCommand,
  sftCommand,
  rolloutCommand,
  dataCommand,
  upCommand,
  downCommand,
  gcCommand,
  workerCommand,
  doctorCommand,
];

const version = (): string => {
  const manifest = JSON.parse(readFileSync(`${packageRoot}package.json`, 'utf8')) as { version: string };
  return manifest.version;
};

/** The whole command line. It throws instead of ending the process, and writes through `io`. */
export const createProgram = (io: Io, cli: Cli): Command => {
  const program = new Command('wideseek')
    .description(
      'Answers wide questions ("every X with its A, B and C") with a table whose cells carry their sources',
    )
    .version(version())
    // An option after a command's name is that command's, also where the command has commands of its own.
    .enablePositionalOptions()
    .addHelpText('after', `\nExamples:\n  $ wideseek ask "…"\n  $ wideseek doctor\n${EXIT_HELP}`);
  for (const create of COMMANDS) program.addCommand(create(io, cli));
  for (const each of [program, ...program.commands]) {
    each.exitOverride();
    each.configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
  }
  return program;
};
