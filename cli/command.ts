import { Command } from 'commander';
import { EXIT_HELP } from './exit.ts';

/** What every command is built from; `done` takes the exit status. */
export interface Cli {
  done(status: number): void;
}

/** A command with its examples and the exit statuses under its help. */
export const command = (name: string, description: string, examples: readonly string[]): Command =>
  new Command(name)
    .description(description)
    .showHelpAfterError('(--help says more)')
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}\n${EXIT_HELP}`);
