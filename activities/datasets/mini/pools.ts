/** All words of the invented world. Every word is one token of the miniature model, its leading space included. */

const combine = (starts: readonly string[], ends: readonly string[]): string[] =>
  starts.flatMap((start) => ends.map((end) => start + end));

/** First half of an entity's name. */
export const FIRST_NAMES = combine(
  [
    'Ar',
    'Bel',
    'Cor',
    'Dal',
    'Em',
    'Fen',
    'Gal',
    'Hel',
    'Is',
    'Jor',
    'Kal',
    'Lor',
    'Mer',
    'Nor',
    'Ol',
    'Per',
  ],
  ['an', 'ia', 'os', 'eth'],
);
/** Second half of an entity's name. */
export const LAST_NAMES = combine(
  [
    'Tas',
    'Bru',
    'Vel',
    'Wes',
    'Zim',
    'Quo',
    'Rad',
    'Sel',
    'Tor',
    'Ulm',
    'Ves',
    'Yor',
    'Har',
    'Gri',
    'Dun',
    'Lin',
  ],
  ['ton', 'mark', 'wick', 'ley'],
);
/** First half of a group's name. */
export const GROUP_ADJECTIVES = [
  'Amber',
  'Azure',
  'Bronze',
  'Coral',
  'Dusky',
  'Eastern',
  'Frozen',
  'Golden',
  'Hidden',
  'Ivory',
  'Jade',
  'Lunar',
  'Misty',
  'Northern',
  'Opal',
  'Quiet',
];
/** Second half of a group's name. */
export const GROUP_NOUNS = [
  'Alliance',
  'Band',
  'Circle',
  'Club',
  'Council',
  'Family',
  'Fleet',
  'Guild',
  'House',
  'League',
  'Order',
  'Society',
  'Squad',
  'Team',
  'Tribe',
  'Union',
];

/** What can be asked about an entity. `phrases` introduce the value on a page; one is drawn for each page. */
export interface Attribute {
  name: string;
  phrases: readonly string[];
  /** One token each, and no attribute shares them with another. */
  values: readonly string[];
}

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
export const ATTRIBUTES: readonly Attribute[] = [
  {
    name: 'colour',
    phrases: [' Its colour is', ' It is painted', ' People see it as'],
    values: [
      'red',
      'blue',
      'green',
      'black',
      'white',
      'grey',
      'pink',
      'brown',
      'violet',
      'yellow',
      'teal',
      'beige',
    ],
  },
  {
    name: 'material',
    phrases: [' Its material is', ' It is made of', ' It was built from'],
    values: [
      'iron',
      'oak',
      'clay',
      'glass',
      'steel',
      'stone',
      'wool',
      'paper',
      'silver',
      'copper',
      'linen',
      'marble',
    ],
  },
  {
    name: 'region',
    phrases: [' Its region is', ' It lies in', ' One finds it in'],
    values: [
      'Nordal',
      'Sudmar',
      'Ostry',
      'Wexland',
      'Mirova',
      'Kesten',
      'Palu',
      'Trevia',
      'Zorin',
      'Ulvik',
      'Bryn',
      'Cadiza',
    ],
  },
  {
    name: 'height',
    phrases: [' Its height is', ' It stands', ' It rises to'],
    values: range(11, 34),
  },
  {
    name: 'weight',
    phrases: [' Its weight is', ' It weighs', ' On a scale it shows'],
    values: range(41, 64),
  },
];

/** How a list page goes on after its group's name. */
export const LIST_PHRASES = [' has the members', ' unites', ' counts among its own'];
