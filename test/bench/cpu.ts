import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc; Linux has used 100 on every platform that Node runs on. */
const TICKS = 100;

/** CPU seconds that a process has used so far, all its threads; 0 once it is gone or where there is no /proc. */
export function processCpu(pid: number): number {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return 0;
  }
}

/** utime + stime of a line of /proc/<pid>/stat, in seconds. The command name may hold spaces and parentheses. */
export function parseProcessStat(line: string): number {
  const fields = line
    .slice(line.lastIndexOf(')') + 2)
    .trim()
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Busy CPU seconds of the whole machine out of /proc/stat: all but idle and waiting for disks. */
export function parseMachineStat(text: string): number {
  const fields = text.split('\n')[0]!.trim().split(/\s+/).slice(1, 9).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
  return (user + nice + system + irq + softirq + steal) / TICKS;
}

function machineCpu(): number {
  try {
    return parseMachineStat(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return 0;
  }
}

/** Seconds in which some task of the machine waited for a CPU (pressure stall information); null where unknown. */
function stalled(): number | null {
  try {
    const total = /^some .*total=(\d+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1];
    return total ? Number(total) / 1e6 : null;
  } catch {
    return null;
  }
}

export interface CpuUse {
  wallMs: number;
  /** CPU seconds by process name; `driver` is this process, where the contestants without a worker run. */
  seconds: Record<string, number>;
  /** Cores that everything else on the machine kept busy on average. */
  othersCores: number;
  /** Share of the time in which something waited for a CPU, 0 to 1; null where the kernel does not say. */
  stalled: number | null;
}

/** Starts counting; the returned function says what was used since. `pids`: other processes of ours by name. */
export function meterCpu(pids: Record<string, number>): () => CpuUse {
  const read = () => {
    const own = process.cpuUsage();
    const ours: Record<string, number> = { driver: (own.user + own.system) / 1e6 };
    for (const [name, pid] of Object.entries(pids)) ours[name] = processCpu(pid);
    return { at: performance.now(), ours, machine: machineCpu(), stalled: stalled() };
  };
  const before = read();
  return () => {
    const after = read();
    const wallMs = after.at - before.at;
    const seconds = Object.fromEntries(
      Object.entries(after.ours).map(([name, value]) => [name, value - before.ours[name]!]),
    );
    const sum = Object.values(seconds).reduce((total, value) => total + value, 0);
    const rest = (after.machine - before.machine - sum) / (wallMs / 1000);
    return {
      wallMs,
      seconds,
      othersCores: Math.max(0, rest),
      stalled:
        after.stalled === null || before.stalled === null
          ? null
          : Math.min(1, (after.stalled - before.stalled) / (wallMs / 1000)),
    };
  };
}
