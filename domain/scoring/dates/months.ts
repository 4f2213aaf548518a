/** Month names by language, January first. Abbreviations are listed where they are not the first three letters. */
const NAMES = [
  'january february march april may june july august september october november december',
  'jan feb mar apr may jun jul aug sep oct nov dec',
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  'janv févr mars avr mai juin juil août sept oct nov déc',
  'januar februar märz april mai juni juli august september oktober november dezember',
  'jan feb mär apr mai jun jul aug sep okt nov dez',
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  'ene feb mar abr may jun jul ago sept oct nov dic',
  'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  'gen feb mar apr mag giu lug ago set ott nov dic',
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
  'januari februari maart april mei juni juli augustus september oktober november december',
];

const MONTHS = new Map(
  NAMES.flatMap((line) =>
    line.split(' ').flatMap(
      (name, index) =>
        [
          [name, index + 1],
          [plain(name), index + 1],
        ] as const,
    ),
  ),
);

const WEEKDAYS = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+/i;

/** 1 to 12 for a month name in one of the known languages, with or without accents and final dot; null otherwise. */
export function monthOf(word: string): number | null {
  const name = word.toLowerCase().replace(/\.$/, '');
  return MONTHS.get(name) ?? MONTHS.get(plain(name)) ?? null;
}

/** Text without an English weekday before the date. */
export const dropWeekday = (text: string): string => text.replace(WEEKDAYS, '');

function plain(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '');
}
