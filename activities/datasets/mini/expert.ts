import { type Habits, HABITS } from './habits.ts';
import { LEAD_CALL, MEMBERS_OF, REPORT, SINGLE_CALL, SUBAGENT_CALL, UNKNOWN } from './phrases.ts';
import { createRandom, type Random } from './random.ts';
import {
  answerTable,
  type Conversation,
  readEntityPage,
  readGroupPage,
  readPrompt,
  readQuestion,
  readRow,
  reportRow,
} from './script-text.ts';

/**
 * What a scripted expert says next: a function of the prompt's text and of `seed` alone, so that the same seed gives
 * the same rollout wherever it is run. Habits decide about mistakes, see `Habits`.
 */
export function expertReply(prompt: string, seed: string, habits: Habits = HABITS): string {
  const talk = readPrompt(prompt);
  const random = createRandom(`${seed}|${talk.task}|${talk.said.length}|${talk.results.join('\n')}`);
  if (talk.role === 'lead') return lead(talk, random, habits);
  if (talk.role === 'single') return single(talk, seed, habits);
  return subagent(talk, random, habits);
}

const delegate = (prompts: readonly string[]): string =>
  LEAD_CALL.open + prompts.join(LEAD_CALL.next) + LEAD_CALL.close;
const ask = (query: string): string => SUBAGENT_CALL.open + query + SUBAGENT_CALL.close;
const askAlone = (query: string): string => SINGLE_CALL.open + query + SINGLE_CALL.close;

/** First one subagent for the list, then one a member for some of them, then the table out of their reports. */
function lead({ task, said, results }: Conversation, random: Random, habits: Habits): string {
  const question = readQuestion(task);
  if (!question) return REPORT.nothing;
  const { group, pair } = question;
  if (said.length === 0) return delegate([`${MEMBERS_OF} ${group}`]);
  if (said.length === 1) {
    const members = readList(results[0] ?? '');
    if (members.length === 0) return REPORT.nothing;
    const count = Math.min(members.length, 1 + random.weighted(habits.members));
    return delegate(
      members.slice(0, count).map((name) => {
        const wanted = random.chance(habits.forgetAttribute) ? [random.pick(pair)] : pair;
        const asked = random.chance(habits.misname) ? mixed(name, random.pick(members)) : name;
        return ` ${wanted.join(' and ')} of ${asked}`;
      }),
    );
  }
  const asked = readSubtasks(said[1]!);
  const rows = (results[1] ?? '').split('\n').flatMap((line, index) => {
    const [name, ...values] = readRow(line) ?? [];
    const wanted = asked[index];
    if (name === undefined || wanted === undefined || random.chance(habits.dropRow)) return [];
    return [[name, ...pair.map((attribute) => values[wanted.indexOf(attribute)] ?? UNKNOWN)]];
  });
  return answerTable(pair, rows);
}

const mixed = (name: string, other: string): string => `${name.split(' ')[0]!} ${other.split(' ')[1]!}`;

const readList = (report: string): string[] =>
  report.startsWith(`${REPORT.list} `) ? report.slice(REPORT.list.length + 1).split(', ') : [];

/** The attributes of each subtask of a delegation. */
const readSubtasks = (call: string): string[][] =>
  call
    .slice(LEAD_CALL.open.length, -LEAD_CALL.close.length)
    .split(LEAD_CALL.next)
    .map((prompt) => prompt.slice(1, prompt.indexOf(' of ')).split(' and '));

/** Searches for the page that its subtask is about, at most twice, and reports what it says. */
function subagent({ task, said, results }: Conversation, random: Random, habits: Habits): string {
  const page = results.at(-1) ?? '';
  const mayAsk = said.length === 0 || (said.length === 1 && random.chance(habits.retry));
  const [, group] = /^Task: members of (.+)$/.exec(task) ?? [];
  if (group) {
    const members = said.length > 0 ? readGroupPage(page, group) : null;
    if (members) {
      const kept = random.chance(habits.cutList) ? 1 + random.int(members.length - 1) : members.length;
      return `${REPORT.list} ${members.slice(0, kept).join(', ')}`;
    }
    return mayAsk ? ask(`${MEMBERS_OF} ${group}`) : REPORT.nothing;
  }
  const [, wanted, name] = /^Task: (.+) of (.+)$/.exec(task) ?? [];
  if (!wanted || !name) return REPORT.nothing;
  const attributes = wanted.split(' and ');
  const nothing = reportRow(
    name,
    attributes.map(() => UNKNOWN),
  );
  if (said.length === 0)
    return random.chance(habits.skipSearch) ? nothing : ask(queryFor(name, random, habits));
  const values = readEntityPage(page, name);
  if (values) return reportRow(name, known(attributes, values, random, habits));
  return mayAsk ? ask(` ${name}`) : nothing;
}

const queryFor = (name: string, random: Random, habits: Habits): string =>
  ` ${random.chance(habits.halfQuery) ? random.pick(name.split(' ')) : name}`;

const known = (
  attributes: readonly string[],
  values: ReadonlyMap<string, string>,
  random: Random,
  habits: Habits,
): string[] =>
  attributes.map((attribute) =>
    random.chance(habits.forgetValue) ? UNKNOWN : (values.get(attribute) ?? UNKNOWN),
  );

/** Looks up the list, then some members one after the other, then writes the table. */
function single({ task, said, results }: Conversation, seed: string, habits: Habits): string {
  const question = readQuestion(task);
  if (!question) return REPORT.nothing;
  const { group, pair } = question;
  if (said.length === 0) return askAlone(`${MEMBERS_OF} ${group}`);
  const members = readGroupPage(results[0] ?? '', group);
  if (!members) return REPORT.nothing;

  const choice = createRandom(`${seed}|${task}`);
  // What a list report may lose for the lead, the single agent may overlook.
  const seen = choice.chance(habits.cutList) ? 1 + choice.int(members.length - 1) : members.length;
  const count = Math.min(seen, 1 + choice.weighted(habits.members));
  const rows: string[][] = [];
  let read = 1;
  for (const name of members.slice(0, count)) {
    const random = createRandom(`${seed}|${task}|${name}`);
    const queries = random.chance(habits.skipSearch) ? [] : [queryFor(name, random, habits)];
    if (queries[0] !== undefined && queries[0] !== ` ${name}` && random.chance(habits.retry))
      queries.push(` ${name}`);
    let values: Map<string, string> | null = null;
    for (const query of queries) {
      if (values) break;
      if (read >= results.length) return askAlone(query);
      values = readEntityPage(results[read++]!, name);
    }
    const cells = values ? known(pair, values, random, habits) : pair.map(() => UNKNOWN);
    if (random.chance(habits.forgetAttribute)) cells[random.int(pair.length)] = UNKNOWN;
    if (!random.chance(habits.dropRow)) rows.push([name, ...cells]);
  }
  return answerTable(pair, rows);
}
