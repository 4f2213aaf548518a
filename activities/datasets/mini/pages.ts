import type { Page } from '../../search/port.ts';
import { ATTRIBUTES, LIST_PHRASES } from './pools.ts';
import { createRandom } from './random.ts';
import { type Entity, type MiniGroup, miniWorld, type World } from './world.ts';

/** The pages of a world: one a group with its members, one an entity with all its values, each in wording of its own. */
export const pagesOf = (world: World): Page[] =>
  world.groups.flatMap((group) => [
    groupPage(group, world.seed),
    ...group.members.map((entity) => entityPage(entity, world.seed)),
  ]);

/** The pages that `miniQuestions` can be answered from. URLs are unique. */
export const buildMiniCorpus = (): Page[] => pagesOf(miniWorld());

function groupPage({ name, members }: MiniGroup, seed: string): Page {
  const phrase = createRandom(`${seed}|${name}`).pick(LIST_PHRASES);
  return {
    url: urlOf(name),
    title: `members of ${name}`,
    text: `${name}${phrase} ${members.map((entity) => entity.name).join(', ')}.`,
  };
}

function entityPage({ name, values }: Entity, seed: string): Page {
  const random = createRandom(`${seed}|${name}`);
  const sentences = random
    .shuffle(ATTRIBUTES)
    .map((attribute) => `${random.pick(attribute.phrases)} ${values[attribute.name]!}.`);
  return { url: urlOf(name), title: name, text: `${name}:${sentences.join('')}` };
}

const urlOf = (name: string): string => `https://mini.example/${name.toLowerCase().replaceAll(' ', '-')}`;
