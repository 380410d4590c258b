import { Secret, type AttemptKey, type ClientOrderId, type Currency, type EndpointId, type MerchantLogin, type OrderId } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import type { CallLimit, RebillRequest, RegisterRequest } from '../contract';
import type { PaynetParts, UpstreamReply } from './upstream';
import { UpstreamCards } from './upstream-cards';
import type { UpstreamRequest } from './wire/operations';

const limit: CallLimit = { withinMs: 30_000, signal: new AbortController().signal };
const NAMED = {
  key: 'key-1' as AttemptKey,
  orderId: 'p0sample0order1r' as OrderId,
  merchant: 'acme' as MerchantLogin,
  endpointId: '1001' as EndpointId,
};
const REQUEST: RegisterRequest = { ...NAMED, gateOrderId: '161944', card: { bin: '444433', lastFour: '1111' } };
const answered = (body: string): UpstreamReply => ({ kind: 'answered', body });
const REFERENCE = answered('type=create-card-ref-response&status=approved&card-ref-id=1402817');
const INFO = answered('type=get-card-info-response&bin=444433&last-four-digits=1111');

const cardsWith = (...replies: readonly UpstreamReply[]) => cardsOf({}, replies);
const cardsOf = (more: Partial<PaynetParts>, replies: readonly UpstreamReply[] = []) => {
  const clock = new VirtualClock();
  const sent: UpstreamRequest[] = [];
  const paid: UpstreamRequest[] = [];
  const upstream = {
    send: (request: UpstreamRequest) => {
      sent.push(request);
      return Promise.resolve(replies[sent.length - 1] ?? ({ kind: 'not-sent' } as const));
    },
  };
  const account = { login: 'acme', controlKey: new Secret('ab'.repeat(16)), entryPoint: { kind: 'endpoint', id: '7001' } } as const;
  const parts = { account, upstream, clock, ...more } as unknown as PaynetParts;
  const state = { gateOrderId: '161944' as string | undefined };
  const cards = new UpstreamCards({
    parts,
    settings: { rebillControl: 'without-endpoint' },
    statusOf: () => Promise.resolve({ kind: 'undecided', gateOrderId: state.gateOrderId }),
    pay: (_request, _limit, make) => {
      paid.push(make(account));
      return Promise.resolve({ kind: 'unknown', cause: 'gate-undecided' });
    },
  });
  return { cards, sent, paid, state };
};

const operationsOf = (sent: readonly UpstreamRequest[]) => sent.map(({ path }) => path.split('/')[3]);

describe('registering a card at an upstream gateway', () => {
  it('accepts the reference after the upstream gateway shows the same card', async () => {
    const { cards, sent } = cardsWith(REFERENCE, INFO);
    await expect(cards.register(REQUEST, limit)).resolves.toEqual({ kind: 'registered', cardToken: '1402817' });
    expect(operationsOf(sent)).toEqual(['create-card-ref', 'get-card-info']);
    expect(sent[0]?.body).toContain('client_orderid=key-1&orderid=161944');
  });

  it('refuses a reference that shows another card', async () => {
    const { cards } = cardsWith(REFERENCE, answered('type=get-card-info-response&bin=444433&last-four-digits=9999'));
    await expect(cards.register(REQUEST, limit)).resolves.toEqual({ kind: 'refused', cause: 'other-card' });
  });

  it('inquires for a missing gate order id, and stays undecided until the gate returns one', async () => {
    const { gateOrderId: _lost, ...request } = REQUEST;
    const { cards, sent, state } = cardsWith(REFERENCE, INFO);
    state.gateOrderId = undefined;
    await expect(cards.register(request, limit)).resolves.toEqual({ kind: 'unknown', cause: 'gate-undecided' });
    expect(sent).toHaveLength(0);
    state.gateOrderId = '161944';
    await expect(cards.register(request, limit)).resolves.toMatchObject({ kind: 'registered' });
  });

  it.each<[string, readonly UpstreamReply[], object]>([
    ['the request was not sent', [{ kind: 'not-sent' }], { kind: 'not-asked', cause: 'unavailable' }],
    ['the answer was lost', [{ kind: 'lost', cause: 'timeout' }], { kind: 'unknown', cause: 'timeout' }],
    ['the answer was a page with 403', [{ kind: 'lost', cause: 'malformed' }], { kind: 'unknown', cause: 'unrecognised-answer' }],
    ['the second request was not sent', [REFERENCE, { kind: 'not-sent' }], { kind: 'not-asked', cause: 'unavailable' }],
    ['the second answer was lost', [REFERENCE, { kind: 'lost', cause: 'connection-lost' }], { kind: 'unknown', cause: 'connection-lost' }],
  ])('decides nothing if %s', async (_, replies, answer) => {
    await expect(cardsWith(...replies).cards.register(REQUEST, limit)).resolves.toEqual(answer);
  });
});

describe('a rebill of a card registered at the upstream gateway', () => {
  const rebill = (by: RebillRequest['by'], more: Partial<RebillRequest> = {}): RebillRequest => ({
    ...NAMED,
    transactionType: 'sale',
    by,
    clientOrderId: 'order-1' as ClientOrderId,
    amount: { minor: 1_042n, currency: 'USD' as Currency },
    descriptor: 'test-a',
    ...more,
  });
  const token = { kind: 'token', token: '1402817' } as const;

  it('forwards the merchant’s fields and the CVV', async () => {
    const { cards, paid } = cardsWith();
    const texts = {
      payer: new Secret({ ipAddress: '203.0.113.7', email: 'john@example.com' }),
      purchase: new Secret({ description: 'March', purpose: 'seat 12', comment: 'again' }),
    };
    await cards.rebill(
      rebill(token, { cvv: new Secret('123'), texts, recurrent: { scenario: 'IRREGULAR', initiator: 'CARDHOLDER' } }),
      limit,
    );
    expect(paid[0]?.path).toBe('/api/v2/make-rebill-sale/7001');
    expect(paid[0]?.body).toMatch(
      /^client_orderid=key-1&login=acme&cardrefid=1402817&order_desc=March&amount=10.42&currency=USD&cvv2=123&ipaddress=203.0.113.7&comment=again&purpose=seat\+12&recurrent_scenario=IRREGULAR&recurrent_initiator=CARDHOLDER&control=[0-9a-f]{40}$/,
    );
  });

  it('uses the purpose if it has no description, or else the order id', async () => {
    const { cards, paid } = cardsWith();
    const texts = { payer: new Secret({}), purchase: new Secret({ purpose: 'seat 12' }) };
    await cards.rebill(rebill(token, { texts }), limit);
    await cards.rebill(rebill(token, { transactionType: 'preauth' }), limit);
    expect(paid[0]?.body).toContain('order_desc=seat+12');
    expect(paid[1]?.path).toBe('/api/v2/make-rebill-preauth/7001');
    expect(paid[1]?.body).toContain('order_desc=Order+p0sample0order1r');
  });

  it('sends a callback URL only if the gate accepts callbacks', async () => {
    const notificationUrl = 'https://gateway.example/n';
    const [heard, unheard] = [cardsOf({ callbackProof: { controlKey: new Secret('ab'.repeat(16)) } }), cardsWith()];
    for (const { cards } of [heard, unheard]) await cards.rebill(rebill(token, { notificationUrl }), limit);
    expect(heard.paid[0]?.body).toContain('server_callback_url=https%3A%2F%2Fgateway.example%2Fn');
    expect(unheard.paid[0]?.body).not.toContain('server_callback_url');
  });

  it('is refused without a request for anything except the gate’s own token', async () => {
    const { cards, paid } = cardsWith();
    await expect(cards.rebill(rebill({ kind: 'network-transaction', networkTransactionId: 'N' }), limit)).resolves.toEqual({
      kind: 'not-asked',
      cause: 'refused-by-gate',
    });
    expect(paid).toHaveLength(0);
  });
});
