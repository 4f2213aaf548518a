import type { WorkflowHandle } from '@temporalio/client';
import { type Clarification, type Progress, SEEK_HANDLERS } from '../../domain/run.ts';
import type { Io } from '../io.ts';
import type { View } from './follow.ts';

/**
 * A view that puts the lead's question to the person at the terminal and sends the answer on. While the person types
 * nothing is redrawn. An empty line takes the lead's default at once. Without a person it is the view itself.
 */
export const withPerson = (
  io: Io,
  handle: Pick<WorkflowHandle, 'executeUpdate'>,
  view: View<Progress>,
): View<Progress> => {
  const { readLine } = io;
  if (!readLine) return view;
  let open: { id: string; stop: AbortController } | null = null;
  const asked = new Set<string>();

  const ask = async ({ id, question, fallback, until }: Clarification): Promise<void> => {
    const seconds = Math.max(1, Math.round((until - io.now()) / 1000));
    view.note(`? ${question}`);
    view.note(`  Type an answer (within ${seconds} s); an empty line means: ${fallback}`);
    const stop = new AbortController();
    open = { id, stop };
    const said = await readLine(stop.signal);
    open = null;
    if (said === null) return;
    try {
      await handle.executeUpdate<string, [string]>(SEEK_HANDLERS.clarify, {
        args: [said.trim() || fallback],
      });
    } catch {
      view.note('The answer came too late; the run goes on without it.');
    }
  };

  return {
    progress: (progress) => {
      const { asks } = progress;
      if (open && open.id !== asks?.id) {
        open.stop.abort();
        view.note(`No answer in time; the run goes on.`);
      }
      if (asks && !asked.has(asks.id)) {
        asked.add(asks.id);
        void ask(asks);
      }
      if (!open) view.progress(progress);
    },
    note: (line) => view.note(line),
    end: () => {
      open?.stop.abort();
      view.end();
    },
  };
};
