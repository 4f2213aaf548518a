import { ATTRIBUTES, FIRST_NAMES, GROUP_ADJECTIVES, GROUP_NOUNS, LAST_NAMES } from './pools.ts';
import { createRandom, type Random } from './random.ts';

export interface Entity {
  name: string;
  /** By the attribute's name. */
  values: Readonly<Record<string, string>>;
}
export interface MiniGroup {
  name: string;
  /** In the order in which the group's page lists them. */
  members: readonly Entity[];
}
export interface World {
  seed: string;
  groups: readonly MiniGroup[];
}

/** Groups of the world that is asked about; those from `TRAIN_GROUPS` on are held out. */
const GROUPS = 36;
export const TRAIN_GROUPS = 26;
const SEED = 'mini-1';

export interface WorldOptions {
  groups: number;
  /** Names that must not occur. */
  avoid?: ReadonlySet<string>;
}

/** Invents groups of 5 to 7 entities. Names are unique in the world; values are drawn without regard to anything. */
export function inventWorld(seed: string, { groups, avoid = new Set() }: WorldOptions): World {
  const random = createRandom(seed);
  const taken = new Set(avoid);
  return {
    seed,
    groups: Array.from({ length: groups }, () => ({
      name: freshName(random, taken, GROUP_ADJECTIVES, GROUP_NOUNS),
      members: Array.from({ length: 5 + random.int(3) }, () => ({
        name: freshName(random, taken, FIRST_NAMES, LAST_NAMES),
        values: Object.fromEntries(ATTRIBUTES.map(({ name, values }) => [name, random.pick(values)])),
      })),
    })),
  };
}

function freshName(
  random: Random,
  taken: Set<string>,
  first: readonly string[],
  last: readonly string[],
): string {
  for (;;) {
    const name = `${random.pick(first)} ${random.pick(last)}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

let fixed: World | undefined;
/** The one world that questions are asked about: the same on every call and machine. */
export const miniWorld = (): World => (fixed ??= inventWorld(SEED, { groups: GROUPS }));

let names: ReadonlySet<string> | undefined;
/** Names of that world's groups and entities; worlds that traces are told in have none of them. */
export const miniNames = (): ReadonlySet<string> =>
  (names ??= new Set(
    miniWorld().groups.flatMap(({ name, members }) => [name, ...members.map((entity) => entity.name)]),
  ));
