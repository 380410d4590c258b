import { parseUrl } from './url';

describe('parsing a URL', () => {
  it('says the same of a Latin-1 text however often it is asked', () => {
    const answers = new Set(Array.from({ length: 50_000 }, () => parseUrl('https://bücher.example/zurück')?.host));
    expect([...answers]).toEqual(['xn--bcher-kva.example']);
  });

  it.each(['', 'x', '//host/', 'http://', 'http://a b/'])('finds none in %j', (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });
});
