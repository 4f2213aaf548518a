import { seededRandom } from '../../domain/scoring/bootstrap.ts';
import {
  compareRuns,
  isSignificantDrop,
  primaryMetric,
  type RunComparison,
} from '../../domain/scoring/compare.ts';
import { type Cli, command } from '../command.ts';
import { type Difference, settingDifferences } from '../eval/differences.ts';
import { findEvaluation, loadEvaluation } from '../eval/load.ts';
import { columns, percent, percentRange } from '../eval/text.ts';
import { EXIT } from '../exit.ts';
import { type Io, say, sayJson } from '../io.ts';
import { withStore } from '../run/session.ts';
import { integer } from '../settings.ts';

interface Compared {
  a: string;
  b: string;
  comparison: RunComparison;
  settings: Difference[];
}

const show = (value: unknown): string => (value === undefined ? '(unset)' : JSON.stringify(value));

const text = ({ a, b, comparison, settings }: Compared, limit: number): string => {
  const { shared, onlyA, onlyB, changedQuestions, metrics, flips } = comparison;
  const rows = Object.entries(metrics).map(([name, metric]) => {
    const { low, high } = metric.difference;
    const clear = low > 0 ? 'better' : high < 0 ? 'worse' : '';
    return [
      ...[name, percent(metric.a.mean), percent(metric.b.mean), percentRange(metric.difference)],
      ...[`${metric.better}/${metric.equal}/${metric.worse}`, clear],
    ];
  });
  const left = [
    ...(onlyA.length > 0 ? [`${onlyA.length} scored only in A`] : []),
    ...(onlyB.length > 0 ? [`${onlyB.length} scored only in B`] : []),
    ...(changedQuestions.length > 0 ? [`${changedQuestions.length} with another question or gold`] : []),
  ];
  return [
    `A ${a}`,
    `B ${b}`,
    `${shared.length} questions scored in both${left.length > 0 ? `; left out: ${left.join(', ')}` : ''}`,
    '',
    columns([['%', 'A', 'B', 'B − A (95%)', 'better/equal/worse', ''], ...rows]),
    ...(flips.length > 0 ? ['', `Questions that flipped: ${flips.length}`] : []),
    ...(flips.length > 0
      ? [
          columns(
            flips
              .slice(0, limit)
              .map((flip) => [flip.questionId, flip.why, flip.metric, percent(flip.a), percent(flip.b)]),
          ),
        ]
      : []),
    ...(flips.length > limit ? [`… and ${flips.length - limit} more (--flips)`] : []),
    ...(settings.length > 0 ? ['', 'Settings that differ'] : []),
    ...settings.map(({ path, a: from, b: to }) => `${path}: ${show(from)} → ${show(to)}`),
  ].join('\n');
};

/** `wideseek compare` */
export const compareCommand = (io: Io, cli: Cli) =>
  command('compare', 'Compare two evaluations question by question', [
    'wideseek compare 20261129-0200-sample-ab12 20261130-0200-sample-x7k2',
    'wideseek compare ab12 x7k2 --fail-on-drop --json',
  ])
    .argument('<a>', 'the earlier evaluation: its id or a part that only one has')
    .argument('<b>', 'the later one')
    .option('--flips <n>', 'how many flipped questions are listed', integer('--flips', 0, 100_000), 20)
    .option('--fail-on-drop', 'exit with status 4 where B is significantly worse')
    .option('--json', 'print exactly one JSON object on stdout')
    .action(
      async (
        first: string,
        second: string,
        options: { flips: number; failOnDrop?: boolean; json?: boolean },
      ) => {
        const [a, b] = await withStore(io, async (store) =>
          Promise.all(
            [first, second].map(async (name) => loadEvaluation(store, await findEvaluation(store, name))),
          ),
        );
        if (!a || !b) return;
        const comparison = compareRuns(a.samples, b.samples, { random: seededRandom(1) });
        const metric = primaryMetric(Object.keys(comparison.metrics));
        const dropped = metric !== undefined && isSignificantDrop(comparison.metrics[metric]);
        const settings = settingDifferences(a.evaluation.settings, b.evaluation.settings);
        const compared = { a: a.evaluation.runId, b: b.evaluation.runId, comparison, settings };
        if (options.json) sayJson(io, { ...compared, metric: metric ?? null, significantDrop: dropped });
        else say(io, text(compared, options.flips));
        cli.done(options.failOnDrop && dropped ? EXIT.failed : EXIT.ok);
      },
    );
