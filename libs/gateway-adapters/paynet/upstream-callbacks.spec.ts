import fc from 'fast-check';
import { callbackBody, callbackQuery, webhookHeaders, type CallbackFacts } from '@app/gateway-protocol';
import { Secret, type AttemptKey, type Currency, type EndpointId, type MerchantLogin, type OrderId } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import type { InboundRequest, SentRequest } from '../contract';
import { UpstreamCallbacks } from './upstream-callbacks';

const CONTROL_KEY = new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20');
const OTHER_CONTROL_KEY = new Secret('0F0E0D0C-0B0A-0908-0706-050403020100');
const SECRET = new Secret(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
const OTHER_SECRET = new Secret(`whsec_${Buffer.alloc(32, 2).toString('base64')}`);
const KEY = '6f1e8a60-0000-4000-8000-000000000001' as AttemptKey;
const OTHER_KEY = '6f1e8a60-0000-4000-8000-000000000002' as AttemptKey;
const FACTS: CallbackFacts = {
  status: 'approved',
  orderid: '1000000007',
  client_orderid: KEY,
  type: 'sale',
  amount: '10.42',
  currency: 'USD',
  'approval-code': '123456',
};
const SENT: SentRequest = {
  key: KEY,
  orderId: 'p0sample0order1r' as OrderId,
  merchant: 'acme' as MerchantLogin,
  endpointId: '1001' as EndpointId,
  amount: { minor: 1_042n, currency: 'USD' as Currency },
};
const clock = new VirtualClock();

interface Signing {
  readonly controlKey?: Secret<string>;
  readonly secret?: Secret<string>;
}

const headersOf = (text: string, secret: Secret<string> | undefined): ReadonlyMap<string, string> =>
  new Map(Object.entries({ ...webhookHeaders('fact-1', clock.now(), text, ...(secret ? [secret] : [])) }));

const posted = (facts: CallbackFacts = FACTS, { controlKey = CONTROL_KEY, secret }: Signing = {}): InboundRequest => {
  const body = callbackBody(facts, controlKey);
  const headers = headersOf(body, secret);
  return { method: 'POST', about: KEY, path: [], query: new Map(), rawQuery: '', headers, contentType: 'application/json', body };
};
const got = (facts: CallbackFacts = FACTS, { controlKey = CONTROL_KEY, secret }: Signing = {}): InboundRequest => {
  const rawQuery = callbackQuery(facts, controlKey);
  const query = new Map(new URLSearchParams(rawQuery));
  return { method: 'GET', about: KEY, path: [], query, rawQuery, headers: headersOf(rawQuery, secret), contentType: '', body: '' };
};

const postedForm = (facts: CallbackFacts = FACTS, { controlKey = CONTROL_KEY, secret }: Signing = {}): InboundRequest => {
  const body = callbackQuery(facts, controlKey);
  return { ...posted(), headers: headersOf(body, secret), contentType: 'application/x-www-form-urlencoded', body };
};

const heardBy = (callbacks: UpstreamCallbacks) => async (request: InboundRequest) => {
  const { reply, reports } = await callbacks.listen(request);
  return {
    status: reply.status,
    reports: reports.map((report) => {
      if (report.kind === 'outcome') return [report.key, report.answerTo(SENT).kind];
      return report.kind === 'dispute' ? [report.key, report.news] : [report.key, 'hint'];
    }),
  };
};
const heard = heardBy(new UpstreamCallbacks({ controlKey: CONTROL_KEY }, clock, {}));
const heardWithSecret = heardBy(new UpstreamCallbacks({ controlKey: CONTROL_KEY, secret: SECRET }, clock, {}));

const APPROVED = { status: 200, reports: [[KEY, 'approved']] };
const HINT = { status: 200, reports: [[KEY, 'hint']] };
const NOTHING = { status: 400, reports: [] };

describe.each([
  ['POST', posted],
  ['POST of a form', postedForm],
  ['GET', got],
])('a callback by %s', (_, made) => {
  it('is an outcome if its control is valid and the gate has no secret', async () => {
    expect(await heard(made())).toEqual(APPROVED);
    expect(await heard(made(FACTS, { secret: OTHER_SECRET }))).toEqual(APPROVED);
  });

  it('is an outcome only with a valid signature if the gate has a secret', async () => {
    expect(await heardWithSecret(made(FACTS, { secret: SECRET }))).toEqual(APPROVED);
    expect(await heardWithSecret(made())).toEqual(HINT);
  });

  it('is only a hint if it has a wrong control or signature, or if signed members were changed', async () => {
    expect(await heard(made(FACTS, { controlKey: OTHER_CONTROL_KEY }))).toEqual(HINT);
    expect(await heardWithSecret(made(FACTS, { secret: OTHER_SECRET }))).toEqual(HINT);
    const signed = made({ ...FACTS, status: 'declined' }, { secret: SECRET });
    const { body, query, rawQuery } = made(FACTS);
    expect(await heardWithSecret({ ...signed, body, query, rawQuery })).toEqual(HINT);
    expect(
      await heard({ ...signed, body: body.replace('approved', 'declined'), query: new Map([...query, ['status', 'declined']]) }),
    ).toEqual(HINT);
  });

  it('is only a hint if its signature is older than five minutes', async () => {
    const old = made(FACTS, { secret: SECRET });
    await clock.advance(301_000);
    expect(await heardWithSecret(old)).toEqual(HINT);
  });

  it('is only a hint if it reports a follow-up', async () => {
    for (const type of ['capture', 'reversal', 'void', 'a-new-one'])
      expect(await heardWithSecret(made({ ...FACTS, type }, { secret: SECRET }))).toEqual(HINT);
  });

  it('is a dispute report only with a valid signature over all members', async () => {
    const facts = { ...FACTS, type: 'chargeback', report: 'chargeback', 'report-id': 'CB-1', 'report-stage': 'first' };
    const news = { kind: 'chargeback', reportId: 'CB-1', stage: 'first', amount: SENT.amount };
    expect(await heardWithSecret(made(facts, { secret: SECRET }))).toEqual({ status: 200, reports: [[KEY, news]] });
    expect(await heardWithSecret(made(facts, { secret: OTHER_SECRET }))).toEqual(HINT);
    // The control of any callback of this order is valid here.
    expect(await heard(made(facts))).toEqual(HINT);
    expect(await heardWithSecret(made({ ...facts, report: 'something_new' }, { secret: SECRET }))).toEqual(HINT);
  });

  it('is an undecided outcome in an unknown status', async () => {
    expect(await heard(made({ ...FACTS, status: 'rolled-back' }))).toEqual({ status: 200, reports: [[KEY, 'unknown']] });
  });

  it('reports on the key in its members, even if the address has another key', async () => {
    expect(await heard(made({ ...FACTS, client_orderid: OTHER_KEY }))).toMatchObject({ reports: [[OTHER_KEY, 'unknown']] });
  });
});

describe('a request that is no callback of the interface', () => {
  it.each<[string, Partial<InboundRequest>]>([
    ['nothing', { body: '' }],
    ['a page', { body: '<html></html>' }],
    ['a list', { body: '[]' }],
    ['something deep', { body: '{"status":{"a":1}}' }],
    ['no status', { body: '{"client_orderid":"a"}' }],
    ['JSON labelled as a form', { contentType: 'application/x-www-form-urlencoded' }],
    ['a form labelled as JSON', { body: 'status=approved' }],
    ['a GET without a query', { method: 'GET' }],
  ])('is refused with 400 and reports nothing: %s', async (_, part) => {
    expect(await heard({ ...posted(), ...part })).toEqual(NOTHING);
  });

  it('is refused if neither the callback nor the address contains a key', async () => {
    const { about: _about, ...request } = posted();
    expect(await heard({ ...request, body: '{"status":"approved"}' })).toEqual(NOTHING);
    expect(await heard({ ...posted(), body: '{"status":"approved"}' })).toEqual(HINT);
  });

  it('never throws and is at most a hint, with arbitrary bytes', async () => {
    const text = fc.string({ unit: 'binary' });
    const any = fc.record({ body: text, rawQuery: text, query: fc.dictionary(text, text) });
    await fc.assert(
      fc.asyncProperty(any, fc.constantFrom('GET' as const, 'POST' as const), async ({ query, ...part }, method) => {
        const request = { ...posted(), ...part, method, query: new Map(Object.entries(query)) };
        for (const { reports } of [await heard(request), await heardWithSecret(request)])
          expect(reports.every(([, kind]) => kind === 'hint')).toBe(true);
      }),
    );
  });
});
