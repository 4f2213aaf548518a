import { pick } from './seeded.ts';
import type { Country } from './sources.ts';
import { countries, neighboursOf, spokenOrder } from './sources.ts';
import type { InfoLine, SamplePage } from './wording.ts';
import {
  distanceKm,
  groupDigits,
  joinParagraphs,
  listChinese,
  placementOf,
  renderBlock,
  variedNumber,
  wikiUrl,
} from './wording.ts';
import { zhLanguage } from './zh-languages.ts';
import { zhPlace } from './zh-names.ts';

type Sentence = (country: Country, seed: string) => string;

/** The Chinese page of one country or territory. Capitals and currency codes keep their Latin spelling. */
export function zhCountryPage(country: Country): SamplePage {
  const seed = `zh|${country.code}`;
  const prose = (fact: string, sentence: Sentence): string =>
    placementOf(seed, fact) === 'block' ? '' : sentence(country, `${seed}|${fact}`);
  const section = (heading: string, body: string): string => (body ? `## ${heading}\n\n${body}` : '');
  const block = renderBlock(seed, infoLines(country, seed), ['项目', '内容']);
  const blockFirst = pick(`${seed}#blockFirst`, [true, false]);
  const contents = joinParagraphs([
    blockFirst ? block : '',
    leadSentence(country, seed) + prose('capital', capitalSentence),
    section(
      '地理',
      `在大洲划分上，${country.zhName}属于${zhPlace(country.region)}。` +
        prose('area', areaSentence) +
        prose('landlocked', coastSentence) +
        prose('borders', borderSentence) +
        nearbySentence(country),
    ),
    section('周边', surroundings(country)),
    section('语言', prose('languages', languageSentence) + sharedLanguage(country)),
    section('经济', prose('currency', currencySentence) + comparison(country)),
    blockFirst ? '' : block,
    section('通信', communications(country)),
    section('参见', seeAlso(country)),
  ]);
  return { url: wikiUrl('zh', country.zhName), title: country.zhName, contents };
}

function leadSentence(country: Country, seed: string): string {
  const place = zhPlace(country.subregion ?? country.region);
  const english = `（${country.officialName}）`;
  const kind = { sovereign: '主权国家', territory: '地区', limited: '' }[country.status];
  if (!kind) return `${country.zhName}${english}位于${place}。`;
  return pick(`${seed}#lead`, [
    `${country.zhName}${english}是位于${place}的${kind}。`,
    `${country.zhName}${english}是${place}的一个${kind}。`,
    `${country.zhName}，英文正式名称为“${country.officialName}”，是${place}的${kind}。`,
    `位于${place}的${country.zhName}${english}是一个${kind}。`,
  ]);
}

const capitalSentence: Sentence = ({ capitals }, seed) => {
  const all = listChinese(capitals);
  if (capitals.length === 0) return '';
  if (capitals.length > 1)
    return pick(seed, [`首都职能由${all}分担。`, `设有${capitals.length}个首府：${all}。`]);
  return pick(seed, [
    `首都为${all}。`,
    `首都是${all}。`,
    `${all}是其首都。`,
    `政府设于首都${all}。`,
    `首都设在${all}。`,
  ]);
};

const areaSentence: Sentence = ({ area }, seed) => {
  if (area === null) return '';
  const number = variedNumber(seed, area);
  const rough = area >= 100_000 ? `，约合${Number((area / 10_000).toFixed(2))}万平方公里` : '';
  return pick(seed, [
    `面积${number}平方公里${rough}。`,
    `总面积为${number}平方公里。`,
    `国土面积为${number} km²${rough}。`,
    `全境面积达${number}平方千米。`,
  ]);
};

const languageSentence: Sentence = (country, seed) => {
  const all = listChinese(spokenOrder(country, seed).map(zhLanguage));
  return all
    ? pick(seed, [
        `官方语言为${all}。`,
        `官方语言是${all}。`,
        `以${all}为官方语言。`,
        `${all}享有官方语言地位。`,
      ])
    : '';
};

const currencySentence: Sentence = ({ currencies }, seed) => {
  const all = listChinese(currencies.map(({ code }) => code));
  return all
    ? pick(seed, [
        `使用的货币代码为${all}。`,
        `法定货币的代码是${all}。`,
        `货币的国际标准代码为${all}。`,
        `流通货币（代码）：${all}。`,
      ])
    : '';
};

const borderSentence: Sentence = (country, seed) => {
  const all = listChinese(neighboursOf(country).map(({ zhName }) => zhName));
  return all
    ? pick(seed, [
        `与${all}接壤。`,
        `陆上邻国有${all}。`,
        `陆地边界与${all}相连。`,
        `接壤的国家和地区为${all}。`,
      ])
    : pick(seed, ['没有陆地邻国。', '不与任何国家接壤。', '四周没有陆地边界。', '无陆上邻国。']);
};

const coastSentence: Sentence = ({ landlocked }, seed) =>
  landlocked
    ? pick(seed, [
        '是内陆国家。',
        '没有海岸线，属于内陆国。',
        '不临海，是世界上的内陆国之一。',
        '境内无出海口，为内陆国。',
      ])
    : pick(seed, ['拥有海岸线。', '临海，不是内陆国。', '有出海口。', '并非内陆国。']);

function infoLines(country: Country, seed: string): InfoLine[] {
  const lines: InfoLine[] = [];
  const add = (fact: string, labels: readonly string[], value: string): void => {
    if (value && placementOf(seed, fact) !== 'prose')
      lines.push([pick(`${seed}|${fact}#label`, labels), value]);
  };
  add('capital', ['首都', '首府'], country.capitals.join('、'));
  const area = country.area === null ? '' : variedNumber(`${seed}|block`, country.area);
  add('area', ['面积', '总面积'], area && `${area} 平方公里`);
  add('languages', ['官方语言'], spokenOrder(country, `${seed}|block`).map(zhLanguage).join('、'));
  add('currency', ['货币代码', '货币'], country.currencies.map(({ code }) => code).join('、'));
  add('region', ['所属大洲', '地区'], zhPlace(country.region));
  add('subregion', ['次区域'], country.subregion ? zhPlace(country.subregion) : '');
  add('landlocked', ['内陆国'], country.landlocked ? '是' : '否');
  const borders = neighboursOf(country).map(({ zhName }) => zhName);
  add('borders', ['邻国', '接壤国家'], borders.join('、') || '无');
  add('domain', ['互联网域名'], country.domain ?? '');
  add('calling', ['国际电话区号'], country.callingCode ?? '');
  return lines;
}

function nearbySentence(country: Country): string {
  const near = countries
    .filter((other) => other !== country)
    .map((other) => ({ other, km: distanceKm(country, other) }))
    .sort((a, b) => a.km - b.km || (a.other.code < b.other.code ? -1 : 1))
    .slice(0, 4)
    .map(({ other, km }) => `${other.zhName}（约${groupDigits(Math.round(km), ',')}公里）`);
  return `从地理中心量起，距离最近的国家和地区依次是${listChinese(near)}。`;
}

/** Other places' capitals and sizes, which a reader must not take for this one's. */
function surroundings(country: Country): string {
  const kin = countries.filter((other) => other !== country && other.subregion === country.subregion);
  const place = zhPlace(country.subregion ?? country.region);
  const members = listChinese(kin.slice(0, 14).map(({ zhName }) => zhName));
  const seats = (neighboursOf(country).length ? neighboursOf(country) : kin)
    .filter(({ capitals }) => capitals.length === 1)
    .slice(0, 5)
    .map(({ zhName, capitals }) => `${zhName}的首都${capitals[0]}`);
  const sized = kin.filter(({ area }) => area !== null).sort((a, b) => (b.area ?? 0) - (a.area ?? 0));
  const [largest] = sized;
  return [
    `同属${place}的国家和地区还有${members}${kin.length > 14 ? '等' : ''}。`,
    seats.length ? `旅行者常把行程与${listChinese(seats)}安排在一起，出发前应当分别查询各地的入境规定。` : '',
    largest
      ? `在${place}的其他成员中，面积最大的是${largest.zhName}（${groupDigits(largest.area ?? 0, ',')}平方公里）。`
      : '',
  ].join('');
}

function sharedLanguage(country: Country): string {
  const language = country.languages[0];
  if (!language) return '';
  const others = countries.filter((other) => other !== country && other.languages.includes(language));
  const name = zhLanguage(language);
  if (others.length === 0) return `在本百科收录的国家和地区中，没有其他地方以${name}为官方语言。`;
  const some = listChinese(others.slice(0, 5).map(({ zhName }) => zhName));
  return `同样以${name}为官方语言的还有${some}${others.length > 5 ? '等' : ''}。`;
}

function comparison(country: Country): string {
  const { area } = country;
  if (area === null) return '';
  const [closest] = countries
    .filter((other) => other !== country && other.area !== null)
    .sort(
      (a, b) => Math.abs((a.area ?? 0) - area) - Math.abs((b.area ?? 0) - area) || (a.code < b.code ? -1 : 1),
    );
  return closest
    ? `经济地理著作常把它与面积相近的${closest.zhName}（${groupDigits(closest.area ?? 0, ',')}平方公里）相比较，两地的市场规模和运输条件却未必相同。`
    : '';
}

function communications(country: Country): string {
  const domain = country.domain ? `当地网站常用的域名后缀为${country.domain}。` : '';
  const calling = country.callingCode ? `从国外拨打电话时，先拨${country.callingCode}。` : '';
  return domain + calling;
}

function seeAlso(country: Country): string {
  const place = zhPlace(country.subregion ?? country.region);
  const links = [`${place}国家和地区列表`, ...(country.landlocked ? ['内陆国家'] : [])];
  return `${[
    ...links,
    ...neighboursOf(country)
      .slice(0, 3)
      .map(({ zhName }) => zhName),
  ].join('；')}。`;
}
