import { distinct } from './country-lists.ts';
import { DISCOVERY_RANGES, foundBetween } from './element-lists.ts';
import { listPage, zhCountryColumns, zhElementColumns } from './list-page.ts';
import type { Country, Element } from './sources.ts';
import { countries, elements } from './sources.ts';
import type { SamplePage } from './wording.ts';
import { groupDigits, listChinese } from './wording.ts';
import { zhLanguage } from './zh-languages.ts';
import { zhCategory, zhPlace, zhState } from './zh-names.ts';

/** Chinese list pages about countries and elements. */
export function zhListPages(): SamplePage[] {
  const landlocked = countries.filter((country) => country.landlocked);
  const inRegion = (rows: readonly Country[], region: string): Country[] =>
    rows.filter((country) => country.region === region);
  return [
    ...distinct(({ region }) => [region]).map((region) =>
      countryList(`${zhPlace(region)}国家和地区列表`, inRegion(countries, region)),
    ),
    ...distinct(({ subregion }) => [subregion]).map((subregion) =>
      countryList(
        `${zhPlace(subregion)}国家和地区列表`,
        countries.filter((country) => country.subregion === subregion),
      ),
    ),
    countryList('内陆国家', landlocked),
    ...['Africa', 'Asia', 'Europe', 'Americas'].map((region) =>
      countryList(`${zhPlace(region)}的内陆国家`, inRegion(landlocked, region)),
    ),
    ...distinct(({ languages }) => languages).flatMap((language) => {
      const rows = countries.filter(({ languages }) => languages.includes(language));
      return rows.length < 3 ? [] : [countryList(`以${zhLanguage(language)}为官方语言的国家和地区`, rows)];
    }),
    ...distinct(({ currencies }) => currencies.map(({ code }) => code)).flatMap((code) => {
      const rows = countries.filter(({ currencies }) =>
        currencies.some((currency) => currency.code === code),
      );
      return rows.length < 4 ? [] : [countryList(`使用货币${code}的国家和地区`, rows)];
    }),
    ...[...new Set(elements.map(({ category }) => category))].map((category) =>
      elementList(
        `${zhCategory(category)}列表`,
        elements.filter((element) => element.category === category),
      ),
    ),
    ...[1, 2, 3, 4, 5, 6, 7].map((period) =>
      elementList(
        `第${period}周期元素`,
        elements.filter((element) => element.period === period),
      ),
    ),
    ...(['s', 'p', 'd', 'f'] as const).map((block) =>
      elementList(
        `${block}区元素`,
        elements.filter((element) => element.block === block),
      ),
    ),
    ...(['gas', 'liquid'] as const).map((state) =>
      elementList(
        `常温下呈${zhState(state)}的元素`,
        elements.filter((element) => element.state === state),
      ),
    ),
    elementList(
      '自古已知的元素',
      elements.filter(({ discovered }) => discovered === null),
    ),
    ...DISCOVERY_RANGES.map(([from, to]) =>
      elementList(`${from}年至${to - 1}年发现的元素`, foundBetween(from, to)),
    ),
  ];
}

function countryList(title: string, rows: readonly Country[]): SamplePage {
  const sized = rows.filter(({ area }) => area !== null).sort((a, b) => (b.area ?? 0) - (a.area ?? 0));
  const [largest] = sized;
  const places = [...new Set(rows.map(({ subregion, region }) => zhPlace(subregion ?? region)))];
  const size = largest
    ? `其中面积最大的是${largest.zhName}，为${groupDigits(largest.area ?? 0, ',')}平方公里。`
    : '';
  return listPage<Country>({
    language: 'zh',
    title,
    intro: `本页收录“${title}”，共${rows.length}个条目，名称采用通行的中文译名，首都保留拉丁字母拼写。`,
    outro: `${size}以上条目分布在${listChinese(places.slice(0, 8))}。列表依据公开的国家和地区数据整理，各种资料对地区的划分不尽相同，首都、官方语言和货币也可能随时间变化，使用时请与各条目的页面互相核对。凡属主权存在争议的地方，本页只按数据列出，不代表任何立场。没有陆地邻国的岛屿、没有海岸线的内陆国，以及面积很小的袖珍国家，另有专门的页面介绍。阅读时还应注意，面积数据有的包含内陆水域，有的只计陆地；同一种货币可以在几个国家流通，一个国家也可以同时使用几种货币；官方语言一栏只列法律或惯例承认的语言，日常使用的语言往往更多。`,
    rows,
    name: { label: '名称', value: ({ zhName }) => zhName },
    columns: zhCountryColumns,
  });
}

function elementList(title: string, rows: readonly Element[]): SamplePage {
  const symbols = rows.map(({ symbol }) => symbol).slice(0, 6);
  return listPage<Element>({
    language: 'zh',
    title,
    intro: `元素周期表共有118种元素，其中${rows.length}种属于“${title}”，按原子序数排列如下。`,
    outro: `排在前面的元素符号为${listChinese(symbols)}。元素的分类依据外层电子的排布、物态和化学性质，不同教科书对某些类别的界限有不同看法；最重的几种元素只制得极少量原子，数据多为推算。发现年份依据一份公开数据，若某种化合物早已为人所知而单质较晚才分离出来，其他资料可能给出不同年份。熔点、沸点、密度等数值见各元素的页面，温度一律以开尔文为单位。查阅时请注意区分元素符号与英文名称的首字母，许多符号来自拉丁语名称；相对原子质量取自常用的数值，放射性元素没有稳定同位素，表中给出的是寿命较长的同位素的质量数；物态指常温常压下单质的状态。`,
    rows,
    name: { label: '元素', value: ({ zhName }) => zhName },
    columns: zhElementColumns,
  });
}
