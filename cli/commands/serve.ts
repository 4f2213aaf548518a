import { openCorpus } from '../../activities/corpus/open.ts';
import { openEncoder } from '../../activities/search/encoder/open.ts';
import { createRetrievalApp, serveRetrieval } from '../../activities/search/http.ts';
import { loadCorpus } from '../../configs/corpus-schema.ts';
import { invalidInput } from '../../domain/errors.ts';
import { ensureEncoderFiles } from '../../infra/local/artifacts.ts';
import { homePaths, wideseekHome } from '../../infra/local/home.ts';
import { type Cli, command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type Io, tell } from '../io.ts';

interface ServeOptions {
  port: string;
  host: string;
  topk: string;
}

const whole = (field: string, text: string, least: number, most: number): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalidInput(field, `is "${text}"; a whole number from ${least} to ${most} is needed`);
};

/** Serves one corpus until it is interrupted. */
async function serveCorpus(io: Io, name: string, options: ServeOptions): Promise<number> {
  const port = whole('port', options.port, 0, 65_535);
  const topK = whole('topk', options.topk, 1, 100);
  const corpus = await loadCorpus(name);
  const provider = await openCorpus(corpus, {
    indexDir: homePaths(wideseekHome(io.env)).index,
    encoderFor: (preset) =>
      openEncoder(
        preset,
        () => ensureEncoderFiles(),
        (line) => tell(io, line),
      ),
    env: io.env,
  });
  const server = await serveRetrieval(createRetrievalApp(provider, { topK }), { host: options.host, port });
  tell(
    io,
    `Corpus "${corpus.name}" at ${server.url} (POST /retrieve, POST /access, GET /health); Ctrl-C stops it.`,
  );
  await new Promise<void>((resolve) => {
    const stop = io.onInterrupt(() => {
      stop();
      resolve();
    });
    process.once('SIGTERM', () => resolve());
  });
  await server.stop();
  return EXIT.ok;
}

/** `wideseek serve` */
export const serveCommand = (io: Io, cli: Cli) =>
  command('serve', 'Serve a built index over HTTP, in the form that WideSeek-R1 and ASearcher expect', [
    'wideseek serve sample --port 8000',
  ])
    .argument('<corpus>', 'the name of a file in configs/corpus/, or the path of one')
    .option('--port <n>', 'port to listen on', '8000')
    .option(
      '--host <address>',
      'address to listen on; others than loopback are open to the network',
      '127.0.0.1',
    )
    .option('--topk <n>', 'results where a request names no number', '3')
    .action(async (corpus: string, options: ServeOptions) =>
      cli.done(await serveCorpus(io, corpus, options)),
    );
