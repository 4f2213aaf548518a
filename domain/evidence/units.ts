/** Units by canonical name: a number with one unit never supports a cell with another. */
const UNITS: readonly (readonly [string, string])[] = [
  ['km2', 'km²|km2|km\\^2|㎢|sq\\.? ?km|square (?:kilomet(?:re|er)s?)|平方公里|平方千米'],
  ['mi2', 'mi²|mi2|sq\\.? ?mi(?:les)?|square miles?|平方英里'],
  ['m2', 'm²|m2|㎡|sq\\.? ?m|square met(?:re|er)s?|平方米'],
  ['ha', 'hectares?|ha|公顷'],
  ['km', 'km|kilomet(?:re|er)s?|公里|千米'],
  ['mi', 'miles?|mi|英里'],
  ['cm', 'cm|centimet(?:re|er)s?|厘米'],
  ['mm', 'mm|millimet(?:re|er)s?|毫米'],
  ['ft', 'ft|feet|foot|英尺'],
  ['m', 'm|met(?:re|er)s?|米'],
  ['kg', 'kg|kilograms?|公斤|千克'],
  ['lb', 'lbs?|pounds|磅'],
  ['t', 'tonnes?|吨'],
  ['g', 'g|grams?|克'],
  ['%', '%|percent|per cent'],
  ['c', '°C|℃|degrees Celsius|摄氏度'],
  ['f', '°F|℉|degrees Fahrenheit|华氏度'],
  ['k', 'K|kelvins?'],
  ['min', 'min(?:ute)?s?\\.?|分钟'],
  ['h', 'hours?|hrs?|小时'],
  ['usd', 'USD|US dollars?|dollars?|美元'],
  ['eur', 'EUR|euros?|€|欧元'],
  ['gbp', 'GBP|£|英镑'],
  ['cny', 'CNY|RMB|yuan|元|人民币'],
  ['jpy', 'JPY|yen|日元'],
];
const CURRENCY: Readonly<Record<string, string>> = {
  $: 'usd',
  us$: 'usd',
  usd: 'usd',
  '€': 'eur',
  eur: 'eur',
  '£': 'gbp',
  gbp: 'gbp',
  rmb: 'cny',
  cny: 'cny',
  '¥': '¥',
};
const START = UNITS.map(
  ([name, forms]) =>
    [name, new RegExp(`^[ \\u00a0\\u202f-]?(?:${forms})(?![\\p{sc=Latin}\\d²])`, 'iu')] as const,
);
const ANYWHERE = UNITS.map(
  ([name, forms]) => [name, new RegExp(`(?<![\\p{L}\\d])(?:${forms})(?![\\p{L}\\d²])`, 'iu')] as const,
);

/** The unit at the start of `rest`, which follows a number; one space may stand between them. */
export const unitAt = (rest: string): { unit: string; length: number } | undefined => {
  for (const [unit, pattern] of START) {
    const found = pattern.exec(rest);
    if (found) return { unit, length: found[0].length };
  }
  return undefined;
};

/** The currency that ends `before`, which precedes a number (`US$`, `€ `). */
export const currencyBefore = (before: string): { unit: string; length: number } | undefined => {
  const found = /(?:(?<![\p{L}])(?:US\$|USD|EUR|GBP|RMB|CNY)|(?<![\p{L}])\$|€|£|¥)[ \u00a0]?$/iu.exec(before);
  const unit = found && CURRENCY[found[0].trim().toLowerCase()];
  return found && unit ? { unit, length: found[0].length } : undefined;
};

/** The unit that a header or label names in brackets or after a comma: `Area (km²)`, `Height, m`. */
export const unitOfHeader = (header: string): string | undefined => {
  const bracketed = /[([（,，/]\s*([^)\]）]+)[)\]）]?\s*$/u.exec(header.trim())?.[1];
  if (!bracketed) return undefined;
  return ANYWHERE.find(([, pattern]) => pattern.test(bracketed))?.[0];
};
