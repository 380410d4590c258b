import * as fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { encodeRequest, targetOf, type GateRequest } from './request';

const get = (more: Partial<GateRequest> = {}): GateRequest => ({ method: 'GET', path: '/rates', ...more });

describe('encodeRequest', () => {
  it('prefixes the path, form-encodes the query and keeps the body', () => {
    const encoded = encodeRequest(get({ path: '/a%20b', query: [['x', '1 2'], ['x', 'ä&']], body: 'ä' }), '/v1', undefined); // prettier-ignore
    expect(encoded).toStrictEqual({
      method: 'GET',
      path: '/v1/a%20b',
      query: 'x=1+2&x=%C3%A4%26',
      headers: ['user-agent', 'payment-orchestrator', 'accept-encoding', 'identity'],
      body: 'ä',
    });
    expect(encoded && targetOf(encoded)).toBe('/v1/a%20b?x=1+2&x=%C3%A4%26');
  });

  it('writes given header names in lower case and keeps an adapter’s user agent', () => {
    const encoded = encodeRequest(get({ headers: { Authorization: 'Bearer x', 'User-Agent': 'acme' } }), '', { traceparent: 't' });
    expect(encoded?.headers).toStrictEqual([
      ...['authorization', 'Bearer x', 'user-agent', 'acme'],
      ...['accept-encoding', 'identity', 'traceparent', 't'],
    ]);
  });

  it.each([
    'host',
    'Connection',
    'keep-alive',
    'te',
    'upgrade',
    'expect',
    'content-length',
    'transfer-encoding',
    'accept-encoding',
    'traceparent',
  ])('rejects the header %s, which only the client sets', (name) =>
    expect(encodeRequest(get({ headers: { [name]: 'x' } }), '', undefined)).toBeUndefined(),
  );

  it('rejects a header that is given twice in different cases', () => {
    expect(encodeRequest(get({ headers: { 'X-Key': 'a', 'x-key': 'b' } }), '', undefined)).toBeUndefined();
  });

  const text = fc.string({ unit: codePoint, maxLength: 12 });
  it('never throws and never writes a line break into the request head', () => {
    const any = fc.record({
      method: fc.constant('POST' as const),
      path: fc.oneof(
        text.map((rest) => `/${rest}`),
        fc.webPath(),
        text,
      ),
      query: fc.array(fc.tuple(text, text), { maxLength: 3 }),
      headers: fc.dictionary(fc.oneof(text, fc.stringMatching(/^[a-z-]{1,8}$/)), fc.oneof(text, fc.string()), { maxKeys: 3 }),
      body: text,
    });
    let written = 0;
    fc.assert(
      fc.property(any, (request) => {
        const encoded = encodeRequest(request, '', undefined);
        if (encoded === undefined) return;
        written += 1;
        expect(targetOf(encoded)).toMatch(/^\/[!-~]*$/);
        expect(encoded.path).not.toMatch(/[?#]/);
        encoded.headers.forEach((part, index) => expect(part).toMatch(index % 2 === 0 ? /^[!-9;-~]+$/ : /^[\t -~\u0080-\u00ff]*$/));
      }),
    );
    expect(written).toBeGreaterThan(0);
  });
});
