import type { EventId } from '@app/event-store';
import { callbackPairs, callbackQuery, isWebhookAuthentic, parseForm, type CallbackFacts as CallbackMembers } from '@app/gateway-protocol';
import { addMs, isoInstant, Secret, type Instant } from '@app/kernel';
import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { callbackRequest } from './callback-request';

const NOW = 1_704_067_200_000 as Instant;
const factId = '6b1c2d3e-4f50-5a61-8b72-9c83ad94be05' as EventId;
const controlKey = new Secret('test-merchant-control');
const postJson = { method: 'post-json' as const };
const address = { url: 'https://merchant.example/hear?shop=7', source: 'request' as const };
const members: CallbackMembers = {
  status: 'approved',
  orderid: '1234567',
  client_orderid: 'hf-abc',
  type: 'sale',
  amount: '10.42',
  currency: 'USD',
};

describe('protocol decisions 6: the merchant callback', () => {
  it('is a POST with a flat JSON object and the id of the fact to the unchanged address [W150]', () => {
    const { body, ...request } = callbackRequest(factId, address, members, { controlKey, callback: postJson }, NOW);
    expect(request).toStrictEqual({
      method: 'POST',
      url: 'https://merchant.example/hear?shop=7',
      source: 'request',
      headers: { 'content-type': 'application/json', 'webhook-id': factId, 'webhook-timestamp': '1704067200' },
    });
    expect(JSON.parse(body ?? '')).toStrictEqual({
      status: 'approved',
      orderid: '1234567',
      merchant_order: 'hf-abc',
      client_orderid: 'hf-abc',
      type: 'sale',
      amount: '10.42',
      currency: 'USD',
      control: '652ace404c4dfe8bba069ecee594ec23a89340e1',
    });
  });

  it('is signed if the merchant has a secret (safety, T41)', () => {
    const secret = new Secret(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
    const { headers, body } = callbackRequest(factId, address, members, { controlKey, callback: { ...postJson, secret } }, NOW);
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    expect(isWebhookAuthentic(headers, body ?? '', secret, NOW)).toBe(true);
    expect(isWebhookAuthentic(headers, `${body} `, secret, NOW)).toBe(false);
  });

  it('has the signatures of the present and the former secret until the former one ends, and one after it', () => {
    const [secret, former] = [7, 8].map((byte) => new Secret(`whsec_${Buffer.alloc(32, byte).toString('base64')}`)) as [
      Secret<string>,
      Secret<string>,
    ];
    const callback = { ...postJson, secret, formerSecret: { secret: former, notAfter: isoInstant(NOW) } };
    const at = (now: Instant) => callbackRequest(factId, address, members, { controlKey, callback }, now);
    const present = (now: Instant) => callbackRequest(factId, address, members, { controlKey, callback: { ...postJson, secret } }, now);
    for (const now of [addMs(NOW, -1), NOW]) {
      const { headers, body } = at(now);
      const [first, second, ...more] = headers['webhook-signature']?.split(' ') ?? [];
      expect([first, more, body]).toStrictEqual([present(now).headers['webhook-signature'], [], present(now).body]);
      expect(second).toMatch(/^v1,/);
      expect([secret, former].map((one) => isWebhookAuthentic(headers, body ?? '', one, now))).toStrictEqual([true, true]);
    }
    expect(at(addMs(NOW, 1))).toStrictEqual(present(addMs(NOW, 1)));
  });

  it('is a GET with the same members in its query and no body if configured [W320]', () => {
    const request = callbackRequest(factId, address, members, { controlKey, callback: { method: 'get' } }, NOW);
    expect(request).toStrictEqual({
      method: 'GET',
      url: 'https://merchant.example/hear?shop=7',
      query:
        'status=approved&orderid=1234567&merchant_order=hf-abc&client_orderid=hf-abc&type=sale&amount=10.42&currency=USD' +
        '&control=652ace404c4dfe8bba069ecee594ec23a89340e1',
      source: 'request',
      headers: { 'webhook-id': factId, 'webhook-timestamp': '1704067200' },
    });
  });

  it('is a form-encoded POST with the same members in its signed body if configured [W510]', () => {
    const secret = new Secret(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
    const request = callbackRequest(factId, address, members, { controlKey, callback: { method: 'post-form', secret } }, NOW);
    expect(request).toMatchObject({
      method: 'POST',
      url: 'https://merchant.example/hear?shop=7',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'webhook-id': factId },
      body: callbackQuery(members, controlKey),
    });
    expect(request).not.toHaveProperty('query');
    expect(isWebhookAuthentic(request.headers, request.body ?? '', secret, NOW)).toBe(true);
  });

  it('throws for an unknown callback method', () => {
    const callback = { method: 'carrier-pigeon' } as never;
    expect(() => callbackRequest(factId, address, members, { controlKey, callback }, NOW)).toThrow(/^no case for .*carrier-pigeon/);
  });

  it('by GET encodes any text so that it cannot add another query parameter', () => {
    const texts = fc.record({ name: fc.string({ unit: codePoint }), merchantdata: fc.string({ unit: codePoint }) });
    fc.assert(
      fc.property(texts, (given) => {
        const well = {
          name: given.name.toWellFormed().replaceAll('\0', ''),
          merchantdata: given.merchantdata.toWellFormed().replaceAll('\0', ''),
        };
        const { query = '' } = callbackRequest(factId, address, { ...members, ...well }, { controlKey, callback: { method: 'get' } }, NOW);
        const parsed = parseForm(Buffer.from(query));
        if ('refused' in parsed) throw new Error(parsed.refused.message);
        const pairs = callbackPairs({ ...members, ...well }, controlKey);
        for (const [name, value] of pairs) expect(new URLSearchParams(query).getAll(name)).toStrictEqual([value]);
        expect([...new URLSearchParams(query).keys()]).toStrictEqual(pairs.map(([name]) => name));
      }),
    );
  });

  it('by GET signs the query, including the amount', () => {
    const secret = new Secret(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
    const { headers, query = '' } = callbackRequest(factId, address, members, { controlKey, callback: { method: 'get', secret } }, NOW);
    expect(isWebhookAuthentic(headers, query, secret, NOW)).toBe(true);
    expect(isWebhookAuthentic(headers, callbackQuery({ ...members, amount: '10.43' }, controlKey), secret, NOW)).toBe(false);
    expect(isWebhookAuthentic(headers, '', secret, NOW)).toBe(false);
  });

  it('has the same id and bytes in every attempt and a new timestamp only in the header (safety, I5) [W332]', () => {
    const texts = fc.record({ name: fc.string({ unit: codePoint }), merchantdata: fc.string({ unit: codePoint }), amount: fc.string() });
    fc.assert(
      fc.property(texts, fc.nat(), (given, laterMs) => {
        const facts = { ...members, ...given };
        const first = callbackRequest(factId, address, facts, { controlKey, callback: postJson }, NOW);
        const later = callbackRequest(factId, address, facts, { controlKey, callback: postJson }, addMs(NOW, laterMs));
        const timestamp = Math.floor((NOW + laterMs) / 1_000).toString();
        expect(later).toStrictEqual({ ...first, headers: { ...first.headers, 'webhook-timestamp': timestamp } });
        expect(JSON.parse(first.body ?? '')).toStrictEqual(Object.fromEntries(callbackPairs(facts, controlKey)));
      }),
    );
  });
});
