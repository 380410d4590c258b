import { gateAddress } from './gate-client';

describe('gateAddress', () => {
  it.each([
    ['https://gate.example', 'https://gate.example', ''],
    ['https://gate.example/', 'https://gate.example', ''],
    ['http://127.0.0.1:8081/paynet', 'http://127.0.0.1:8081', '/paynet'],
    ['https://[::1]:8443/a/b/', 'https://[::1]:8443', '/a/b'],
  ])('splits %s into origin and path prefix', (baseUrl, origin, pathPrefix) => {
    expect(gateAddress(baseUrl)).toStrictEqual({ origin, pathPrefix });
  });

  it.each(['ftp://gate.example', 'gate.example', '', 'https://gate.example?x=1', 'https://gate.example#x', 'https://me:word@gate.example'])(
    'rejects %s without repeating it in the error',
    (baseUrl) => expect(() => gateAddress(baseUrl)).toThrow(new Error('a gate needs an http or https address')),
  );
});
