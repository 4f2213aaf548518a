import { WideseekError } from '../../../domain/errors.ts';

/** English and Chinese names of every language in `world-countries`. */
const LANGUAGES = `Afrikaans=南非语;Albanian=阿尔巴尼亚语;Amharic=阿姆哈拉语;Arabic=阿拉伯语;Aramaic=阿拉米语;Armenian=亚美尼亚语
Aymara=艾马拉语;Azerbaijani=阿塞拜疆语;Belarusian=白俄罗斯语;Belizean Creole=伯利兹克里奥尔语
Bengali=孟加拉语;Berber=柏柏尔语;Bislama=比斯拉马语;Bosnian=波斯尼亚语;Bulgarian=保加利亚语;Burmese=缅甸语;Carolinian=加罗林语
Catalan=加泰罗尼亚语;Chamorro=查莫罗语;Chewa=齐切瓦语;Chibarwe=奇巴尔韦语;Chinese=汉语;Comorian=科摩罗语;Cook Islands Māori=库克群岛毛利语
Croatian=克罗地亚语;Czech=捷克语;Danish=丹麦语;Dari=达里语;Dutch=荷兰语;Dzongkha=宗喀语;English=英语;Estonian=爱沙尼亚语;Faroese=法罗语
Fiji Hindi=斐济印地语;Fijian=斐济语;Filipino=菲律宾语;Finnish=芬兰语;French=法语;Georgian=格鲁吉亚语;German=德语;Gilbertese=基里巴斯语
Greek=希腊语;Greenlandic=格陵兰语;Guaraní=瓜拉尼语;Guernésiais=根西语;Haitian Creole=海地克里奥尔语;Hassaniya=哈桑尼亚语;Hebrew=希伯来语
Herero=赫雷罗语;Hindi=印地语;Hiri Motu=希里莫图语;Hungarian=匈牙利语;Icelandic=冰岛语;Indonesian=印度尼西亚语;Irish=爱尔兰语;Italian=意大利语
Jamaican Patois=牙买加土语;Japanese=日语;Jèrriais=泽西语;Kalanga=卡兰加语;Kazakh=哈萨克语;Khmer=高棉语;Khoekhoe=科伊科伊语;Khoisan=科伊桑语
Kikongo=刚果语;Kinyarwanda=卢旺达语;Kirundi=基隆迪语;Korean=朝鲜语;Kwangali=宽加利语;Kyrgyz=吉尔吉斯语;Lao=老挝语;Latin=拉丁语;Latvian=拉脱维亚语
Lingala=林加拉语;Lithuanian=立陶宛语;Lozi=洛齐语;Luxembourgish=卢森堡语;Macedonian=马其顿语;Malagasy=马达加斯加语;Malay=马来语;Maldivian=迪维希语
Maltese=马耳他语;Manx=马恩语;Marshallese=马绍尔语;Mauritian Creole=毛里求斯克里奥尔语;Moldavian=摩尔多瓦语;Mongolian=蒙古语;Montenegrin=黑山语
Māori=毛利语;Nauru=瑙鲁语;Ndau=恩道语;Ndonga=恩东加语;Nepali=尼泊尔语;New Zealand Sign Language=新西兰手语;Niuean=纽埃语;Norfuk=诺福克语
Northern Ndebele=北恩德贝莱语;Northern Sotho=北索托语;Norwegian=挪威语;Norwegian Bokmål=书面挪威语;Norwegian Nynorsk=新挪威语;Palauan=帕劳语
Papiamento=帕皮阿门托语;Pashto=普什图语;Persian=波斯语;Polish=波兰语;Portuguese=葡萄牙语;Quechua=克丘亚语;Romanian=罗马尼亚语;Romansh=罗曼什语
Russian=俄语;Sami=萨米语;Samoan=萨摩亚语;Sango=桑戈语;Serbian=塞尔维亚语;Seychellois Creole=塞舌尔克里奥尔语;Shona=绍纳语;Sinhala=僧伽罗语
Slovak=斯洛伐克语;Slovene=斯洛文尼亚语;Somali=索马里语;Sorani=索拉尼库尔德语;Sotho=索托语;Southern Ndebele=南恩德贝莱语;Southern Sotho=南索托语
Spanish=西班牙语;Swahili=斯瓦希里语;Swazi=斯瓦蒂语;Swedish=瑞典语;Tajik=塔吉克语;Tamil=泰米尔语;Tetum=德顿语;Thai=泰语
Tigrinya=提格里尼亚语;Tok Pisin=托克皮辛语;Tokelauan=托克劳语;Tonga=通加语;Tongan=汤加语;Tshiluba=奇卢巴语;Tsonga=聪加语;Tswana=茨瓦纳语
Turkish=土耳其语;Turkmen=土库曼语;Tuvaluan=图瓦卢语;Ukrainian=乌克兰语;Upper Guinea Creole=上几内亚克里奥尔语;Urdu=乌尔都语;Uzbek=乌兹别克语
Venda=文达语;Vietnamese=越南语;Xhosa=科萨语;Zimbabwean Sign Language=津巴布韦手语;Zulu=祖鲁语`;

const names = new Map(
  LANGUAGES.split(/[;\n]/).map((entry) => {
    const [english = '', chinese = ''] = entry.split('=');
    return [english, chinese];
  }),
);

/** The Chinese name of a language; `Internal` for an unknown one. */
export function zhLanguage(name: string): string {
  const found = names.get(name);
  if (!found) throw new WideseekError('Internal', `no Chinese name for language ${name}`);
  return found;
}
