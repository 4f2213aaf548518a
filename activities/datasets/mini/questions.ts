import { stringify } from 'csv-stringify/sync';
import type { TableQuestion } from '../question.ts';
import { ATTRIBUTES } from './pools.ts';
import { type MiniGroup, miniWorld, TRAIN_GROUPS } from './world.ts';

export type MiniSplit = 'train' | 'dev';

/** Column that holds the entities' names; it joins an answer's rows with the gold rows. */
export const KEY_COLUMN = 'member';

/** The question as the agents read it. */
export const questionText = (group: string, [first, second]: readonly [string, string]): string =>
  `List every member of ${group} with ${first} and ${second}.`;

/** Every pair of attributes, in the order in which they are asked for. */
export const ATTRIBUTE_PAIRS: readonly (readonly [string, string])[] = ATTRIBUTES.flatMap(({ name }, index) =>
  ATTRIBUTES.slice(index + 1).map((other) => [name, other.name] as const),
);

/**
 * Every group with every pair of attributes: 260 questions of split `train`, 100 of `dev` about groups that no
 * training question and no trace names. Scored by text equality alone. Without a split: all of them.
 * Questions with different pairs take turns, so that the first few of a split are about different groups.
 */
export function miniQuestions(split?: MiniSplit): TableQuestion[] {
  const groups = miniWorld().groups.map((group, index) => ({
    group,
    split: index < TRAIN_GROUPS ? ('train' as const) : ('dev' as const),
  }));
  return ATTRIBUTE_PAIRS.flatMap((_, round) =>
    groups.map(({ group, split: own }, index) =>
      toQuestion(group, ATTRIBUTE_PAIRS[(round + index) % ATTRIBUTE_PAIRS.length]!, own),
    ),
  ).filter((question) => split === undefined || question.split === split);
}

/** A question about one group, with its gold table. */
export function toQuestion(
  group: MiniGroup,
  pair: readonly [string, string],
  split: MiniSplit,
): TableQuestion {
  const columns = [KEY_COLUMN, ...pair];
  const rows = group.members.map(({ name, values }) => [
    name,
    ...pair.map((attribute) => values[attribute]!),
  ]);
  const id = `mini_${[group.name.replace(' ', '-'), ...pair].join('_').toLowerCase()}`;
  const question = questionText(group.name, pair);
  return {
    id,
    question,
    language: 'en',
    split,
    kind: 'table',
    record: {
      instance_id: id,
      query: question,
      language: 'en',
      evaluation: {
        required: columns,
        unique_columns: [KEY_COLUMN],
        eval_pipeline: Object.fromEntries(
          columns.map((name) => [name, { preprocess: ['norm_str'], metric: ['exact_match'] }]),
        ),
      },
    },
    goldCsv: stringify([columns, ...rows]),
    table: { columns, rows },
  };
}
