import { WideseekError } from '../../../domain/errors.ts';

/** Symbol and Chinese name of every element, in the order of atomic numbers. */
const ELEMENTS =
  'H氢 He氦 Li锂 Be铍 B硼 C碳 N氮 O氧 F氟 Ne氖 Na钠 Mg镁 Al铝 Si硅 P磷 S硫 Cl氯 Ar氩 K钾 Ca钙 Sc钪 Ti钛 V钒 Cr铬 Mn锰 ' +
  'Fe铁 Co钴 Ni镍 Cu铜 Zn锌 Ga镓 Ge锗 As砷 Se硒 Br溴 Kr氪 Rb铷 Sr锶 Y钇 Zr锆 Nb铌 Mo钼 Tc锝 Ru钌 Rh铑 Pd钯 Ag银 Cd镉 ' +
  'In铟 Sn锡 Sb锑 Te碲 I碘 Xe氙 Cs铯 Ba钡 La镧 Ce铈 Pr镨 Nd钕 Pm钷 Sm钐 Eu铕 Gd钆 Tb铽 Dy镝 Ho钬 Er铒 Tm铥 Yb镱 Lu镥 ' +
  'Hf铪 Ta钽 W钨 Re铼 Os锇 Ir铱 Pt铂 Au金 Hg汞 Tl铊 Pb铅 Bi铋 Po钋 At砹 Rn氡 Fr钫 Ra镭 Ac锕 Th钍 Pa镤 U铀 Np镎 Pu钚 ' +
  'Am镅 Cm锔 Bk锫 Cf锎 Es锿 Fm镄 Md钔 No锘 Lr铹 Rf𬬻 Db𬭊 Sg𬭳 Bh𬭛 Hs𬭶 Mt鿏 Ds𫟼 Rg𬬭 Cn鿔 Nh鿭 Fl𫓧 Mc镆 Lv𫟷 Ts鿬 Og鿫';

const elementNames = new Map(
  ELEMENTS.split(' ').map((entry) => {
    const symbol = /^[A-Z][a-z]?/.exec(entry)?.[0] ?? '';
    return [symbol, entry.slice(symbol.length)];
  }),
);

/** The Chinese name of an element; `Internal` for an unknown symbol. */
export function zhElementName(symbol: string): string {
  const name = elementNames.get(symbol);
  if (!name) throw new WideseekError('Internal', `no Chinese name for element ${symbol}`);
  return name;
}

/** Names that the data gives in traditional characters, shortens until two countries share one, or swaps. */
const COUNTRIES: Readonly<Record<string, string>> = {
  BES: '荷兰加勒比区',
  CCK: '科科斯（基林）群岛',
  COD: '刚果民主共和国',
  COG: '刚果共和国',
  DMA: '多米尼克',
  DOM: '多米尼加',
  FSM: '密克罗尼西亚联邦',
  GNB: '几内亚比绍',
  MKD: '北马其顿',
  SJM: '斯瓦尔巴和扬马延',
  SXM: '荷属圣马丁',
  MAF: '法属圣马丁',
  TWN: '台湾',
};

/** The Chinese name of a country: ours where the data's is wrong, else the data's. */
export const zhCountryName = (code: string, given: string): string => COUNTRIES[code] ?? given;

const PLACES: Readonly<Record<string, string>> = {
  Africa: '非洲',
  Americas: '美洲',
  Asia: '亚洲',
  Europe: '欧洲',
  Oceania: '大洋洲',
  Antarctic: '南极地区',
  Caribbean: '加勒比地区',
  'Southern Asia': '南亚',
  'Middle Africa': '中部非洲',
  'Northern Europe': '北欧',
  'Southeast Europe': '东南欧',
  'Southern Europe': '南欧',
  'Western Asia': '西亚',
  'South America': '南美洲',
  Polynesia: '波利尼西亚',
  'Australia and New Zealand': '澳大利亚和新西兰地区',
  'Central Europe': '中欧',
  'Eastern Africa': '东非',
  'Western Europe': '西欧',
  'Western Africa': '西非',
  'Eastern Europe': '东欧',
  'Central America': '中美洲',
  'North America': '北美洲',
  'South-Eastern Asia': '东南亚',
  'Southern Africa': '南部非洲',
  'Eastern Asia': '东亚',
  'Northern Africa': '北非',
  Melanesia: '美拉尼西亚',
  Micronesia: '密克罗尼西亚群岛区',
  'Central Asia': '中亚',
};

const CATEGORIES: Readonly<Record<string, string>> = {
  nonmetal: '非金属',
  'noble gas': '稀有气体',
  'alkali metal': '碱金属',
  'alkaline earth metal': '碱土金属',
  metalloid: '类金属',
  halogen: '卤素',
  'transition metal': '过渡金属',
  'post-transition metal': '后过渡金属',
  lanthanoid: '镧系元素',
  actinoid: '锕系元素',
};

const STATES: Readonly<Record<string, string>> = { gas: '气态', liquid: '液态', solid: '固态' };

function lookUp(kind: string, table: Readonly<Record<string, string>>): (name: string) => string {
  return (name) => {
    const found = table[name];
    if (!found) throw new WideseekError('Internal', `no Chinese name for ${kind} ${name}`);
    return found;
  };
}

/** Chinese names of regions and subregions; `Internal` for an unknown one. */
export const zhPlace = lookUp('place', PLACES);
/** Chinese names of element categories. */
export const zhCategory = lookUp('category', CATEGORIES);
/** Chinese names of the states of matter. */
export const zhState = lookUp('state', STATES);
