import * as fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { encodeRequest, targetOf, type GateRequest } from './request';

const get = (more: Partial<GateRequest> = {}): GateRequest => ({ method: 'GET', path: '/rates', ...more });

describe('a request as it is written', () => {
  it('has the prefix before its path, its query as a form has it, and its body', () => {
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

  it('has the headers that it was given, in lower case, and the user agent of an adapter that names one', () => {
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
  ])('is none where it names the header %s, which is the client’s to set', (name) =>
    expect(encodeRequest(get({ headers: { [name]: 'x' } }), '', undefined)).toBeUndefined(),
  );

  it('is none where a header is given twice, in different cases', () => {
    expect(encodeRequest(get({ headers: { 'X-Key': 'a', 'x-key': 'b' } }), '', undefined)).toBeUndefined();
  });

  const text = fc.string({ unit: codePoint, maxLength: 12 });
  it('has no break in its head, whatever it is made of, and does not throw', () => {
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
