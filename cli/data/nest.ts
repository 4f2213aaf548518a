import type { Command } from 'commander';
import type { Io } from '../io.ts';

/** A command of commands: each one throws instead of ending the process and writes through `io`, as the program does. */
export const nest = (io: Io, parent: Command, ...children: Command[]): Command => {
  for (const child of children) {
    child.exitOverride();
    child.configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
    parent.addCommand(child);
  }
  return parent;
};
