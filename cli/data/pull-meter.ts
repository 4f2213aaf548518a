import type { PullProgress } from '../../activities/datasets/hub/pull.ts';
import { type Io, tell } from '../io.ts';

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Progress on stderr: one line that moves on a terminal, else one line per file. */
export function pullMeter(io: Io): { show(progress: PullProgress): void; end(): void } {
  let last = '';
  let shownAt = 0;
  let open = false;
  return {
    show({ path, file, files, bytes, size }) {
      if (!io.stderr.isTTY) {
        if (path !== last) tell(io, `${file}/${files} ${path} (${mebibytes(size)})`);
        last = path;
        return;
      }
      if (io.now() - shownAt < 100 && bytes < size) return;
      shownAt = io.now();
      open = true;
      const share = size === 0 ? 100 : Math.floor((100 * bytes) / size);
      io.stderr.write(`\r\x1b[K${file}/${files} ${path} ${share}% of ${mebibytes(size)}`);
    },
    end() {
      if (open) io.stderr.write('\n');
      open = false;
    },
  };
}
