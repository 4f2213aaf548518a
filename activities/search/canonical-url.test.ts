import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUrl } from './canonical-url.ts';

const wiki = 'https://en.wikipedia.org/w/index.php?title=C%C3%B4te_d%27Ivoire';

describe('canonicalUrl', () => {
  it.each([
    'https://en.wikipedia.org/w/index.php/C%C3%B4te_d%27Ivoire',
    'https://en.wikipedia.org/wiki/Côte_d%27Ivoire',
    'http://EN.wikipedia.org/w/index.php?title=Côte d’Ivoire'.replace('’', "'"),
    "https://en.wikipedia.org/w/index.php?title=C%C3%B4te_d'Ivoire#History",
  ])('%s names the same article', (url) => {
    expect(canonicalUrl(url)).toBe(canonicalUrl(wiki));
  });

  it('keeps apart what differs', () => {
    expect(canonicalUrl('https://a.org/x?y=1')).not.toBe(canonicalUrl('https://a.org/x?y=2'));
    expect(canonicalUrl('https://a.org/x')).not.toBe(canonicalUrl('https://a.org/X'));
    expect(canonicalUrl('https://a.org/w/index.php?title=A&oldid=1')).not.toBe(
      canonicalUrl('https://a.org/w/index.php?title=A'),
    );
  });

  it('ignores scheme, fragment and a closing slash', () => {
    expect(canonicalUrl('http://a.org/x/#top')).toBe(canonicalUrl('https://a.org/x'));
  });

  it('takes any text, also broken escapes', () => {
    expect(canonicalUrl(' not a url ')).toBe('not a url');
    expect(canonicalUrl('https://a.org/%E0%A4%A')).toBe(canonicalUrl('https://a.org/%E0%A4%A'));
    fc.assert(fc.property(fc.webUrl(), (url) => typeof canonicalUrl(url) === 'string'));
  });
});
