/**
 * What goes wrong with a call. Before it works: `down` (connection cut), `slow` (`ms` late), `html` (a page with 200),
 * `status` (refused), `conflict` (409), `lost` (the engine forgets all models first). In its result: `nan`,
 * `wrong-length`, `fail` (the future fails with `message`), `disk-full`. After it worked: `reply-lost`.
 */
export interface Fault {
  /** Name of the call, e.g. `forward_backward`, `forward`, `asample`; `*` is any. */
  call: string;
  kind:
    | 'down'
    | 'slow'
    | 'html'
    | 'status'
    | 'conflict'
    | 'lost'
    | 'nan'
    | 'wrong-length'
    | 'fail'
    | 'disk-full'
    | 'reply-lost';
  /** How many calls it hits. Default 1. */
  times?: number;
  ms?: number;
  status?: number;
  message?: string;
}

export interface Faults {
  inject(fault: Fault): void;
  /** Takes the first fault of these kinds that hits the call. */
  take(call: string, kinds: readonly Fault['kind'][]): Fault | undefined;
  /** Faults that have not happened: a test that injected one and left it did not test it. */
  left(): Fault[];
}

/** Faults in the order in which they were injected. */
export function createFaults(): Faults {
  let waiting: (Fault & { times: number })[] = [];
  return {
    inject: (fault) => {
      waiting.push({ times: 1, ...fault });
    },
    take: (call, kinds) => {
      const found = waiting.find(
        (fault) => (fault.call === call || fault.call === '*') && kinds.includes(fault.kind),
      );
      if (found === undefined) return undefined;
      found.times -= 1;
      if (found.times <= 0) waiting = waiting.filter((fault) => fault !== found);
      return found;
    },
    left: () => [...waiting],
  };
}
