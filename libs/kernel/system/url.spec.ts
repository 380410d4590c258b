import { parseUrl } from './url';

describe('parseUrl', () => {
  it('returns the same result for a Latin-1 text after many calls', () => {
    const answers = new Set(Array.from({ length: 50_000 }, () => parseUrl('https://bücher.example/zurück')?.host));
    expect([...answers]).toEqual(['xn--bcher-kva.example']);
  });

  it.each(['', 'x', '//host/', 'http://', 'http://a b/'])('returns undefined for %j', (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });
});
