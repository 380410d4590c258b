import { gateAddress } from './gate-client';

describe('the address of a gate', () => {
  it.each([
    ['https://gate.example', 'https://gate.example', ''],
    ['https://gate.example/', 'https://gate.example', ''],
    ['http://127.0.0.1:8081/paynet', 'http://127.0.0.1:8081', '/paynet'],
    ['https://[::1]:8443/a/b/', 'https://[::1]:8443', '/a/b'],
  ])('%s has an origin and a path', (baseUrl, origin, pathPrefix) => {
    expect(gateAddress(baseUrl)).toStrictEqual({ origin, pathPrefix });
  });

  it.each(['ftp://gate.example', 'gate.example', '', 'https://gate.example?x=1', 'https://gate.example#x', 'https://me:word@gate.example'])(
    '%s is none, and is not repeated in the error',
    (baseUrl) => expect(() => gateAddress(baseUrl)).toThrow(new Error('a gate needs an http or https address')),
  );
});
