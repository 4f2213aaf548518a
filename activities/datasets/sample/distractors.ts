import { capitalSentence, inSentence } from './country-facts.ts';
import { elementTitle } from './element-page.ts';
import { pick } from './seeded.ts';
import type { Country } from './sources.ts';
import { countries, elements } from './sources.ts';
import type { SamplePage } from './wording.ts';
import { groupDigits, joinParagraphs, listEnglish, wikiUrl } from './wording.ts';

const named = (name: string): Country[] => countries.filter((country) => country.name === name);

/** Names that readers mix up: a title, the countries in question, and other things of that name. */
const CONFUSABLE: readonly (readonly [title: string, names: readonly string[], other: string])[] = [
  [
    'Georgia (disambiguation)',
    ['Georgia', 'South Georgia'],
    'Georgia is also a state of the United States, whose capital is Atlanta; it has an area of about 153,910 km² and is not a country.',
  ],
  [
    'Guinea (disambiguation)',
    ['Guinea', 'Guinea-Bissau', 'Equatorial Guinea', 'Papua New Guinea'],
    'The Gulf of Guinea is a part of the Atlantic Ocean, New Guinea is an island in the Pacific, and the guinea was a British gold coin.',
  ],
  [
    'Niger and Nigeria',
    ['Niger', 'Nigeria'],
    'Both are named after the river Niger, which also flows through Guinea, Mali and Benin. A person from Niger is a Nigerien, one from Nigeria a Nigerian.',
  ],
  [
    'Congo (disambiguation)',
    ['DR Congo', 'Republic of the Congo'],
    'Both take their name from the river Congo. Older atlases call the larger one Zaire.',
  ],
  [
    'Korea (disambiguation)',
    ['North Korea', 'South Korea'],
    'The Korean peninsula was a single state until the middle of the twentieth century.',
  ],
  [
    'Dominica and the Dominican Republic',
    ['Dominica', 'Dominican Republic'],
    'Both lie in the Caribbean. The second shares its island with Haiti.',
  ],
  [
    'Sudan (disambiguation)',
    ['Sudan', 'South Sudan'],
    'In older books the Sudan is a belt of grassland that reaches from Senegal to Ethiopia; French Sudan was the colonial name of Mali.',
  ],
  [
    'Samoa (disambiguation)',
    ['Samoa', 'American Samoa'],
    'The Samoan islands form one archipelago in the Pacific.',
  ],
  [
    'Virgin Islands (disambiguation)',
    ['British Virgin Islands', 'United States Virgin Islands'],
    'The archipelago lies east of Puerto Rico.',
  ],
  [
    'Saint Martin (disambiguation)',
    ['Saint Martin', 'Sint Maarten'],
    'The two share one island. Saint Martin is also the name of many towns and churches in France.',
  ],
  [
    'Slovakia and Slovenia',
    ['Slovakia', 'Slovenia'],
    'The names of both go back to the word for Slavs, and letters to one are often sent to the other.',
  ],
  [
    'Austria and Australia',
    ['Austria', 'Australia'],
    'Souvenir shops in Vienna sell signs that say that there are no kangaroos there.',
  ],
  [
    'Iran and Iraq',
    ['Iran', 'Iraq'],
    'In English the two names differ by one letter; their origins are unrelated.',
  ],
  [
    'Mauritius and Mauritania',
    ['Mauritius', 'Mauritania'],
    'One is named after a Dutch prince, the other after an ancient kingdom in North Africa.',
  ],
  [
    'Paraguay and Uruguay',
    ['Paraguay', 'Uruguay'],
    'Both names are those of rivers. Only one of the two has a coast.',
  ],
  [
    'Latvia and Lithuania',
    ['Latvia', 'Lithuania'],
    'Together with Estonia they are called the Baltic states.',
  ],
  ['Gambia and Zambia', ['Gambia', 'Zambia'], 'Both are named after rivers, the Gambia and the Zambezi.'],
  [
    'Swaziland and Switzerland',
    ['Eswatini', 'Switzerland'],
    'Swaziland was renamed Eswatini, among other reasons because of the confusion.',
  ],
  [
    'Ireland (disambiguation)',
    ['Ireland', 'United Kingdom'],
    'The island of Ireland is shared by two states; Northern Ireland belongs to the United Kingdom.',
  ],
  [
    'Micronesia (disambiguation)',
    ['Micronesia', 'Nauru', 'Palau'],
    'Micronesia is a subregion of Oceania as well as the short name of a federation inside it.',
  ],
];

/** Pages that mention many names and answer nothing by themselves; they stand in the way as on the real web. */
export function distractorPages(): SamplePage[] {
  return [...CONFUSABLE.map(confusable), mercury(), lead(), namedAfterPlaces(), ...overviews()];
}

function confusable([title, names, other]: (typeof CONFUSABLE)[number]): SamplePage {
  const entries = names.flatMap(named).map((country) => {
    const size = country.area === null ? '' : ` It measures ${groupDigits(country.area, ',')} km².`;
    const demonym = country.demonym ? ` Its people are described as ${country.demonym}.` : '';
    return `- ${country.name}: a ${country.status === 'territory' ? 'territory' : 'country'} in ${country.subregion ?? country.region}. ${capitalSentence(country, `${title}${country.code}`)}${size}${demonym}`;
  });
  const closing =
    'This page helps to find the entry that is meant. Newspapers, shipping labels and search engines mix up names of this kind regularly, and older maps use them in other senses than today. Check the context, the region and the neighbouring countries before taking a number from one of the entries.';
  const contents = joinParagraphs([
    `${title.replace(' (disambiguation)', '')} may refer to several places.`,
    entries.join('\n'),
    other,
    closing,
  ]);
  return { url: wikiUrl('en', title), title, contents };
}

const simplePage = (title: string, paragraphs: readonly string[]): SamplePage => ({
  url: wikiUrl('en', title),
  title,
  contents: joinParagraphs(paragraphs),
});

function mercury(): SamplePage {
  const element = elements.find(({ name }) => name === 'Mercury');
  return simplePage('Mercury', [
    'Mercury may refer to several things.',
    `- ${element ? elementTitle(element) : ''}: a metal with the symbol Hg that is liquid at room temperature\n- Mercury (planet): the innermost planet, with a diameter of 4,880 km\n- Mercury (mythology): the Roman god of trade and travel\n- Project Mercury: a programme of crewed space flights, 1958 to 1963`,
    'The planet and the metal both carry the name of the god. Alchemists paired seven metals with seven heavenly bodies: gold with the Sun, silver with the Moon, iron with Mars, copper with Venus, tin with Jupiter, lead with Saturn and quicksilver with Mercury, the only pairing that survives in English. The symbol Hg comes from hydrargyrum, water-silver. Do not confuse the density of the metal with the mean density of the planet, 5.43 g/cm³.',
  ]);
}

function lead(): SamplePage {
  return simplePage('Lead (disambiguation)', [
    'Lead may refer to several things.',
    '- Lead: a heavy metal with the symbol Pb\n- Lead (cable): an electrical wire\n- Lead (leash): a line for walking a dog\n- Lead (journalism): the opening of an article\n- Lead, South Dakota: a town known for gold',
    'The pencil lead is made of graphite, which is carbon, and has never held any of the metal. The confusion is old: when graphite was found it was taken for a kind of lead and called plumbago. Tin and lead were told apart by the Romans as white and black lead. In Chinese, Japanese and Korean the pencil also carries the name of the metal. Soldering alloys mix tin with lead, silver, copper or bismuth and melt at lower temperatures than their parts.',
  ]);
}

function namedAfterPlaces(): SamplePage {
  return simplePage('Elements named after places', [
    'A number of chemical elements carry the name of a country, a city or a continent.',
    'Polonium is named after Poland, francium and gallium after France, germanium after Germany, nihonium after Japan, americium after the Americas, europium after Europe, scandium and thulium after Scandinavia, ruthenium after a Latin name for a part of eastern Europe. Strontium takes its name from a village in Scotland; yttrium, terbium, erbium and ytterbium all go back to one village in Sweden; hafnium to Copenhagen, lutetium to Paris, holmium to Stockholm, berkelium to a city in California, darmstadtium and hassium to places in Hesse, dubnium and moscovium to Russia.',
    'The name says little about where an element occurs or who found it: helium is named after the Sun and was isolated on Earth, and copper after Cyprus, where the Romans mined it.',
  ]);
}

function overviews(): SamplePage[] {
  const regions = ['Africa', 'Americas', 'Asia', 'Europe', 'Oceania'];
  const perRegion = regions.map((region) => {
    const members = countries.filter((country) => country.region === region);
    const some = members.filter(({ code }) => pick(`geo|${code}`, [true, false])).slice(0, 14);
    const seats = some.filter(({ capitals }) => capitals.length === 1).slice(0, 8);
    return simplePage(`Geography of ${region}`, [
      `This overview treats ${region}, for which the data set behind this encyclopedia knows ${members.length} countries and territories.`,
      `Travellers most often ask for ${listEnglish(some.map(inSentence))}. Among the capitals that are treated on pages of their own are ${listEnglish(seats.map(({ capitals }) => capitals[0] ?? ''))}.`,
      `Distances are long and measures differ. ${listEnglish(some.slice(0, 5).map((country) => `${inSentence(country)} (${groupDigits(country.area ?? 0, ',')} km²)`))} give an idea of the range of sizes. Some countries have several official languages, others one; some share a currency with their neighbours. The pages of the single countries give the particulars, and separate lists cover the subregions, the landlocked countries and the island states.`,
    ]);
  });
  const landlocked = countries.filter((country) => country.landlocked).slice(0, 9);
  return [
    ...perRegion,
    simplePage('Landlocked country', [
      'A landlocked country is one that has no coast on an ocean or on a sea connected to the oceans. Countries on the Caspian Sea are usually counted as landlocked, because that sea is a lake.',
      `Examples are ${listEnglish(landlocked.map(inSentence))}. Two countries are doubly landlocked: they are surrounded by landlocked countries only. Trade has to cross at least one border, which makes transport dear, and several treaties grant such countries a right of transit.`,
      'The opposite case is the island country, which has no land border or shares one island with a neighbour. Between the two stand most states of the world: they have both neighbours and a coast. The number of landlocked countries has grown whenever a larger state broke up.',
    ]),
    simplePage('Periodic table', [
      'The periodic table arranges the chemical elements by atomic number in rows, called periods, and columns, called groups. Four blocks are named after the subshells s, p, d and f.',
      `The lightest elements are ${listEnglish(elements.slice(0, 10).map(({ name }) => name.toLowerCase()))}. Dmitri Mendeleev published a table in 1869 and left gaps for elements still to be found: gallium (1875), scandium and germanium (1886) filled them. The noble gases came as a surprise and got a column of their own.`,
      'The most recent additions, nihonium, moscovium, tennessine and oganesson, completed the seventh row. Whether lanthanum or lutetium belongs under yttrium is still debated. Many tables on classroom walls give outdated atomic weights; differences in the last digits come from new measurements.',
    ]),
    simplePage('Currency union', [
      'A currency union is an area in which several states use one currency.',
      "The euro is the best known. Two unions in Africa each use a CFA franc: the West African CFA franc, used among others by Senegal, Mali and Niger, and the Central African CFA franc, used among others by Chad, Gabon and Cameroon. The two have the same value and are not accepted in each other's area. The Eastern Caribbean dollar is shared by small island states, and the South African rand circulates beside local money in Lesotho, Eswatini and Namibia.",
      'Some states use a foreign currency without any treaty: Ecuador, El Salvador, Palau and the Marshall Islands pay in United States dollars. Others peg their own currency to a foreign one at a fixed rate, which looks similar from the outside but can be undone.',
    ]),
  ];
}
