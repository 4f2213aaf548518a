import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ensureEnginePython, ENGINE_DIR } from '../../../infra/local/engine-python.ts';
import { wideseekHome } from '../../../infra/local/home.ts';
import { printTable } from '../table.ts';

const callSchema = z.object({
  first_seconds: z.number(),
  milliseconds: z.number(),
  cpu_milliseconds: z.number(),
  tokens: z.number(),
  tokens_per_second: z.number(),
});
const servedSchema = z
  .object({ ready_seconds: z.number(), peak_rss_megabytes: z.number() })
  .catchall(callSchema);
const resultSchema = z.object({
  setting: z.record(z.string(), z.union([z.number(), z.null()])),
  plain: z.record(z.string(), callSchema),
  served_without_cache: servedSchema,
  served_with_cache: servedSchema,
});
export type EngineResult = z.infer<typeof resultSchema>;

/** The local engine through its server beside the same work in plain JAX calls; its own script measures. */
export async function benchEngine(options: {
  repeat: number;
  log: (line: string) => void;
}): Promise<EngineResult> {
  const python = await ensureEnginePython({
    ...{ home: wideseekHome(), env: process.env, onStatus: options.log },
  });
  options.log('the local engine beside plain JAX (about a minute)');
  const { stdout } = await promisify(execFile)(python, ['bench.py', `--repeat=${options.repeat}`], {
    cwd: ENGINE_DIR,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    maxBuffer: 16 << 20,
  });
  return resultSchema.parse(JSON.parse(stdout));
}

export function printEngine({ setting, plain, served_with_cache: served, ...rest }: EngineResult): string {
  const isCall = (value: unknown): value is z.infer<typeof callSchema> => typeof value === 'object';
  const { rows, prompt, reply } = setting;
  const first = rest.served_without_cache.ready_seconds;
  return [
    `Local engine, 0.5M parameters, ${rows} rows of ${prompt} tokens, replies of ${reply}: ready in ${first} s, ${served.ready_seconds} s with compiled functions kept; peak ${served.peak_rss_megabytes} MB`,
    printTable(
      ['call', 'server ms', 'server tokens/s', 'plain JAX ms', 'plain tokens/s', 'server ÷ plain'],
      Object.entries(served).flatMap(([name, own]) => {
        if (!isCall(own)) return [];
        const other = plain[name];
        return [
          [
            name,
            own.milliseconds.toFixed(1),
            own.tokens === 0 ? '' : String(own.tokens_per_second),
            other?.milliseconds.toFixed(1) ?? '',
            other ? String(other.tokens_per_second) : '',
            other ? (own.milliseconds / other.milliseconds).toFixed(2) : '',
          ],
        ];
      }),
    ),
  ].join('\n');
}
