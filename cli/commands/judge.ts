import { resolve } from 'node:path';
import { WideseekError } from '../../domain/errors.ts';
import { type Cli, command } from '../command.ts';
import { nest } from '../data/nest.ts';
import { EXIT } from '../exit.ts';
import { type Io, say, sayJson, tell } from '../io.ts';
import { withStore } from '../run/session.ts';
import { measureAgreement } from '../score/agreement.ts';
import { judgeFrom, type JudgeOptions, withJudgeOptions } from '../score/judge-options.ts';
import { judgePairs, readPairs } from '../score/labelled.ts';

const rate = (value: number | null): string => (value === null ? 'n/a' : value.toFixed(3));

/** `wideseek judge agreement` */
const agreementCommand = (io: Io, cli: Cli) =>
  withJudgeOptions(
    command('agreement', 'Measure a judge against pairs that people have labelled', [
      'wideseek judge agreement labelled.jsonl --judge-url http://localhost:8000/v1 --judge-model qwen3',
    ])
      .argument('<file>', 'JSON Lines: response, target, label (0 or 1) and perhaps criterion')
      .option('--json', 'print exactly one JSON object on stdout'),
  ).action(async (file: string, options: JudgeOptions & { json?: boolean }) => {
    const { config, model } = judgeFrom(io, options);
    if (model === null) {
      throw new WideseekError('ConfigError', 'judge: there is none to measure', {
        hint: 'Name one with --judge-url and --judge-model, or WIDESEEK_JUDGE_URL',
      });
    }
    const pairs = await readPairs(resolve(io.cwd, file));
    const { concurrency, maxTokens } = config;
    const signal = new AbortController().signal;
    const judged = await withStore(io, (store) =>
      judgePairs(pairs, { ...{ store, model, concurrency, maxTokens, signal }, runId: 'agreement' }),
    );
    const measured = measureAgreement(
      pairs.map(({ label }, index) => ({ label, verdict: judged.verdicts[index] ?? null })),
    );
    const disagreements = pairs.flatMap(({ where, response, target, label }, index) => {
      const verdict = judged.verdicts[index] ?? null;
      return verdict === null || verdict === label ? [] : [{ where, response, target, label, verdict }];
    });
    if (judged.outage) tell(io, `! ${judged.outage.message}`);
    if (options.json) sayJson(io, { judge: model.name, calls: judged.calls, ...measured, disagreements });
    else {
      const { pairs: count, unscored, agreement, precision, recall, kappa } = measured;
      say(io, `${model.name}: ${count} pairs, ${unscored} unscored`);
      say(
        io,
        `agreement ${rate(agreement)}  precision ${rate(precision)}  recall ${rate(recall)}  kappa ${rate(kappa)}`,
      );
      for (const { where, response, target, label, verdict } of disagreements.slice(0, 20))
        say(
          io,
          `  ${where}: said ${verdict}, is ${label}: ${JSON.stringify(response)} / ${JSON.stringify(target)}`,
        );
    }
    cli.done(measured.unscored > 0 ? EXIT.partial : EXIT.ok);
  });

/** `wideseek judge` */
export const judgeCommand = (io: Io, cli: Cli) =>
  nest(
    io,
    command('judge', 'Measure the judge', ['wideseek judge agreement labelled.jsonl']),
    agreementCommand(io, cli),
  );
