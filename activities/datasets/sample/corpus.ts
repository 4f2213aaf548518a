import { countryListPages } from './country-lists.ts';
import { countryPage } from './country-page.ts';
import { distractorPages } from './distractors.ts';
import { elementListPages } from './element-lists.ts';
import { elementPage } from './element-page.ts';
import { countries, elements } from './sources.ts';
import type { SamplePage } from './wording.ts';
import { zhCountryPage } from './zh-country-page.ts';
import { zhElementPage } from './zh-element-page.ts';
import { zhListPages } from './zh-lists.ts';

export interface SampleCorpus {
  pages: SamplePage[];
}

/**
 * An encyclopedia of countries and chemical elements in English and Chinese, the same on every call and
 * machine. It is made from `world-countries` (ODbL) and `periodic-table` (ISC), see NOTICE. URLs are unique.
 */
export function buildSampleCorpus(): SampleCorpus {
  return {
    pages: [
      ...countries.map(countryPage),
      ...elements.map(elementPage),
      ...countryListPages(),
      ...elementListPages(),
      ...distractorPages(),
      ...countries.map(zhCountryPage),
      ...elements.map(zhElementPage),
      ...zhListPages(),
    ],
  };
}
