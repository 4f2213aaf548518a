import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const alive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null; // released this moment
  }
};

const create = (file, text) => {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
};

/** Takes away a lock whose holders are dead, unless somebody else has replaced it in the meantime. */
const removeStale = (file, seen) => {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return; // another waiter was faster
  }
  if (read(aside) !== seen) {
    try {
      linkSync(aside, file);
    } catch {
      // A third one holds the lock already.
    }
  }
  rmSync(aside, { force: true });
};

/**
 * A lock file with the pids of its holders, for code that runs before any package is installed. Waits while one of
 * them lives; `onWait` is called once. Returns `add(pid)` for a child that works under the lock, and `release`.
 */
export const takeLock = async (file, onWait) => {
  const holders = [process.pid];
  for (let waited = false; !create(file, JSON.stringify(holders)); waited = true) {
    const seen = read(file);
    if (seen === null) continue;
    const pids = /^\[[\d,]+\]$/.test(seen) ? JSON.parse(seen) : [];
    if (pids.length > 0 && !pids.some(alive)) {
      removeStale(file, seen);
      continue;
    }
    if (!waited) onWait();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    add: (pid) => {
      holders.push(pid);
      writeFileSync(file, JSON.stringify(holders));
    },
    release: () => rmSync(file, { force: true }),
  };
};
