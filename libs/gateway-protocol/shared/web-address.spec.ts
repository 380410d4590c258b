import { isWebAddress, WEB_ADDRESS_LENGTH_MAX } from './web-address';

const long = (length: number): string => 'https://shop.example/'.padEnd(length, 'a');

describe('web addresses that a request brings (interface 2.4; safety, T16 and T20)', () => {
  it.each([
    'https://shop.example',
    'http://shop.example:8080/back?order=1&x=%20#top',
    'HTTPS://SHOP.example/',
    'https://[2001:db8::1]/back',
    'https://shop.example/@me',
    'https://bücher.example/zurück',
    long(WEB_ADDRESS_LENGTH_MAX),
  ])('takes %s', (text) => expect(isWebAddress(text)).toBe(true));

  it.each([
    '',
    'shop.example',
    '//shop.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://shop.example',
    'http:shop.example',
    'http:///shop.example',
    'https://',
    'https://?x',
    'https://user@shop.example',
    'https://user:word@shop.example',
    'https://@shop.example',
    'https://good.example\\@evil.example',
    'https://shop.example\\back',
    'https://shop.example/a b',
    'https://shop.example/\r\nSet-Cookie: a=b',
    'https://shop.exa\tmple/',
    '\u0001https://shop.example/',
    'https://shop.example/\u0085',
    'https://shop.example:99999/',
    'https://[::1',
    'https://sh%00op.example/',
    long(WEB_ADDRESS_LENGTH_MAX + 1),
  ])('refuses %j', (text) => expect(isWebAddress(text)).toBe(false));
});
