import { pick } from './seeded.ts';
import type { Element } from './sources.ts';
import { elements } from './sources.ts';
import type { InfoLine, SamplePage } from './wording.ts';
import { joinParagraphs, listChinese, placementOf, renderBlock, wikiUrl } from './wording.ts';
import { zhCategory, zhState } from './zh-names.ts';

type Sentence = (element: Element, seed: string) => string;

/** The Chinese page of one chemical element. */
export function zhElementPage(element: Element): SamplePage {
  const seed = `zh|${element.symbol}`;
  const prose = (fact: string, sentence: Sentence): string =>
    placementOf(seed, fact) === 'block' ? '' : sentence(element, `${seed}|${fact}`);
  const section = (heading: string, body: string): string => (body ? `## ${heading}\n\n${body}` : '');
  const block = renderBlock(seed, infoLines(element, seed), ['性质', '数值']);
  const blockFirst = pick(`${seed}#blockFirst`, [true, false]);
  const contents = joinParagraphs([
    blockFirst ? block : '',
    leadSentence(element, seed) + prose('category', categorySentence) + prose('mass', massSentence),
    section(
      '物理性质',
      prose('state', stateSentence) +
        prose('melting', meltingSentence) +
        prose('boiling', boilingSentence) +
        prose('density', densitySentence),
    ),
    section('在周期表中的位置', positionSentences(element)),
    section('历史', prose('discovered', discoverySentence) + contemporaries(element)),
    blockFirst ? '' : block,
    section(
      '参见',
      `${zhCategory(element.category)}列表；第${element.period}周期元素；${element.block}区元素。`,
    ),
  ]);
  return { url: wikiUrl('zh', element.zhName), title: element.zhName, contents };
}

const leadSentence: Sentence = ({ zhName, name, symbol, number }, seed) =>
  pick(`${seed}#lead`, [
    `${zhName}（英语：${name}）是一种化学元素，符号为${symbol}，原子序数为${number}。`,
    `${zhName}是原子序数为${number}的化学元素，化学符号是${symbol}，英文名${name}。`,
    `化学元素${zhName}（${name}）的符号为${symbol}，原子序数是${number}。`,
    `${zhName}（${symbol}）是化学元素之一，原子序数为${number}，英文名称为${name}。`,
  ]);

const categorySentence: Sentence = ({ category }, seed) => {
  const name = zhCategory(category);
  return pick(seed, [
    `它属于${name}。`,
    `在分类上归入${name}。`,
    `它是${name}之一。`,
    `化学家把它列为${name}。`,
  ]);
};

const massSentence: Sentence = ({ mass }, seed) =>
  pick(seed, [
    `相对原子质量为${mass}。`,
    `原子量为${mass}。`,
    `标准原子量是${mass}。`,
    `其相对原子质量约为${mass}。`,
  ]);

const stateSentence: Sentence = ({ state }, seed) => {
  if (state === null) return '由于制得的原子极少，其物态尚不清楚。';
  const name = zhState(state);
  return pick(seed, [
    `常温下为${name}。`,
    `标准状态下呈${name}。`,
    `在室温下以${name}存在。`,
    `其标准物态为${name}。`,
  ]);
};

const meltingSentence: Sentence = ({ melting }, seed) =>
  melting === null
    ? ''
    : pick(seed, [
        `熔点为${melting} K。`,
        `熔点是${melting}K。`,
        `在${melting} K时熔化。`,
        `其熔点达${melting}开尔文。`,
      ]);

const boilingSentence: Sentence = ({ boiling }, seed) =>
  boiling === null
    ? ''
    : pick(seed, [
        `沸点为${boiling} K。`,
        `沸点是${boiling}K。`,
        `在${boiling} K时沸腾。`,
        `其沸点达${boiling}开尔文。`,
      ]);

const densitySentence: Sentence = ({ density }, seed) =>
  density === null
    ? ''
    : pick(seed, [
        `密度为${density} g/cm³。`,
        `密度是每立方厘米${density}克。`,
        `每立方厘米的质量为${density}克。`,
        `其密度约${density} g/cm³。`,
      ]);

const discoverySentence: Sentence = ({ discovered }, seed) =>
  discovered === null
    ? pick(seed, ['它自古已为人所知。', '古人早已认识这种物质。', '人类自古代起就使用它。'])
    : pick(seed, [
        `它于${discovered}年被发现。`,
        `发现年份为${discovered}年。`,
        `${discovered}年，科学家首次确认了它。`,
        `人们在${discovered}年发现了它。`,
      ]);

function infoLines(element: Element, seed: string): InfoLine[] {
  const lines: InfoLine[] = [];
  const add = (fact: string, labels: readonly string[], value: string): void => {
    if (value && placementOf(seed, fact) !== 'prose')
      lines.push([pick(`${seed}|${fact}#label`, labels), value]);
  };
  const text = (value: number | null, unit: string): string => (value === null ? '' : `${value}${unit}`);
  add('symbol', ['符号', '元素符号'], element.symbol);
  add('number', ['原子序数', '序号'], String(element.number));
  add('mass', ['相对原子质量', '原子量'], `${element.mass}`);
  add('category', ['类别', '元素类别'], zhCategory(element.category));
  add('state', ['常温物态', '物态'], element.state === null ? '未知' : zhState(element.state));
  add('melting', ['熔点'], text(element.melting, ' K'));
  add('boiling', ['沸点'], text(element.boiling, ' K'));
  add('density', ['密度'], text(element.density, ' g/cm³'));
  add('discovered', ['发现年份', '发现'], element.discovered === null ? '古代' : `${element.discovered}年`);
  return lines;
}

function positionSentences(element: Element): string {
  const before = elements[element.number - 2];
  const after = elements[element.number];
  const period = elements.filter(({ period }) => period === element.period);
  const between = [
    before ? `前一个元素是${before.zhName}（${before.symbol}）` : '',
    after ? `后一个元素是${after.zhName}（${after.symbol}）` : '',
  ].filter(Boolean);
  const ends = `该周期从${period[0]?.zhName ?? ''}到${period.at(-1)?.zhName ?? ''}，共有${period.length}种元素`;
  return `${element.zhName}位于第${element.period}周期，属于${element.block}区。它的${between.join('，')}。${ends}。电子排布为${element.configuration}。${neighbourValues(element)}`;
}

/** Values of the elements next to this one, which a reader must not take for its own. */
function neighbourValues({ number }: Element): string {
  const nextTo = [elements[number - 2], elements[number]].filter((other) => other !== undefined);
  const masses = nextTo.map(({ zhName, mass }) => `${zhName}的相对原子质量为${mass}`).join('，');
  const found = nextTo
    .filter(({ discovered }) => discovered !== null)
    .map(({ zhName, discovered }) => `${zhName}发现于${discovered}年`);
  const history = found.length ? `从发现的先后看，${found.join('，')}。` : '';
  return `与它相邻的元素在质量上很接近：${masses}。${history}同一周期的元素按原子序数依次排列，外层电子数目逐渐变化，金属性和非金属性也随之变化，因此比较相邻元素的数据有助于核对表中的数值。`;
}

function contemporaries(element: Element): string {
  const others = elements.filter((other) => other !== element && other.discovered === element.discovered);
  const names = listChinese(others.slice(0, 4).map(({ zhName }) => zhName));
  const kin = elements.filter((other) => other !== element && other.category === element.category);
  const kinNames = listChinese(kin.slice(0, 5).map(({ zhName }) => zhName));
  const same =
    element.discovered === null
      ? `同样自古为人所知的还有${names}。`
      : names
        ? `同一年发现的元素还有${names}。`
        : '';
  return `${same}与它同类的元素包括${kinNames}等，人们对这些元素的认识是在不同年代逐步积累起来的。`;
}
