import { Secret, type CardRefId, type CardUid, type EndpointId, type MerchantLogin, type Sealed } from '@app/kernel';
import type { OrderKeyId } from '@app/card-vault';
import type { EgressOutcome, EgressRequest } from '@app/http/client';
import { checkSaleSignature, isWebhookAuthentic, notificationSignature } from '@app/gateway-protocol';
import type { OpenOrder } from '@app/orders';
import { packTexts } from '@app/orders/domain';
import { VirtualClock, devicePlan, sampleCard, sampleDeviceOrder, sampleReceivingCard, seededRandom } from '@app/testing';
import type { NamedCards } from './answered-cards';
import { OrderMerchantServer, type OrderMerchantServerPorts } from './order-merchant-server';

const KEY = new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20');
const SECRET = new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
const DEVICE = {
  accessToken: 'a'.repeat(64),
  nonce: 'n'.repeat(64),
  signature: 'S'.repeat(40),
  token: '33333333-3333-4333-8333-333333333333',
  serialNumber: 'SN-1',
};
const CUSTOMER = { holder: 'KIM LEE', email: 'kim@example.com' };
const DETAILS = { description: 'shoes' };
const { nonce, token, serialNumber } = DEVICE;

const sealedBy = (key: string, field: string, plaintext: string): Sealed => `${key}|${field}|${plaintext}` as Sealed;
const order = sampleDeviceOrder({
  endpointId: '1001' as EndpointId,
  plan: devicePlan({ operation: 'sale' }),
  customer: sealedBy('first', 'customer', packTexts(CUSTOMER)),
  details: sealedBy('first', 'details', packTexts(DETAILS)),
  device: sealedBy('first', 'device', packTexts(DEVICE)),
});
const { clientOrderId: invoiceId, endpointId } = order;
const ASKED = { correlation: '00000000-0000-0000-0000-0000000000a1', callerTrace: '4bf92f3577b34da6a3ce929d0e0e4736-01' };
const TRACEPARENT = expect.stringMatching(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/) as string;
const open = (given: Partial<typeof order> = {}): OpenOrder =>
  ({ order: { ...order, ...given }, processing: {}, stream: 'transfer-a', ...ASKED }) as unknown as OpenOrder;

const checked = (more: object = {}, status = 200): EgressOutcome => ({
  kind: 'answered',
  status,
  body: JSON.stringify({
    invoiceId,
    session: { checkSignature: checkSaleSignature({ serialNumber, nonce, endpointId, invoiceId }, KEY), nonce, token },
    ...more,
  }),
});
const acknowledged = (status = 200): EgressOutcome => ({
  kind: 'answered',
  status,
  body: JSON.stringify({
    invoiceId,
    session: { checkSignature: notificationSignature({ nonce, endpointId, invoiceId }, KEY), nonce, token },
  }),
});

const server = (
  outcome: EgressOutcome,
  {
    named = {},
    isConfigured = true,
    cardMapping = 'notify',
  }: { named?: NamedCards; isConfigured?: boolean; cardMapping?: 'notify' | 'off' } = {},
) => {
  const sent: EgressRequest[] = [];
  const clock = new VirtualClock();
  const callback = { method: 'post-json', secret: SECRET };
  const account = isConfigured
    ? { controlKey: KEY, callback, cardMapping, merchantUrl: 'https://shop.example/acme' }
    : { controlKey: KEY, callback, cardMapping };
  const ports = {
    accounts: { merchant: () => account },
    egress: { send: (request: EgressRequest) => (sent.push(request), Promise.resolve(outcome)) },
    cards: { namedIn: () => Promise.resolve(named) },
    vault: {
      takeKey: () => Promise.resolve({ id: 'second' as OrderKeyId, seal: (_of: MerchantLogin, field: string, plaintext: string) => sealedBy('second', field, plaintext) }), // prettier-ignore
      unseal: (_of: MerchantLogin, field: string, sealed: Sealed) => {
        const [key, itsField, plaintext] = sealed.split('|');
        if (itsField !== field) throw new Error(`${field} was sealed as ${itsField}`);
        return Promise.resolve(key === 'erased' ? undefined : plaintext);
      },
      uidNumber: (_of: MerchantLogin, uid: CardUid) => Promise.resolve(uid === 'uid' ? 100_000_001 : 100_000_002),
    },
    notificationWaitMs: 1_500,
    clock,
    random: seededRandom(),
  } as unknown as OrderMerchantServerPorts;
  return { sent, clock, calls: new OrderMerchantServer(ports) };
};

describe('the check of an order (interface, section 4.6)', () => {
  it('passes without changes if the response adds nothing', async () => {
    const { calls, sent } = server(checked({ consumer: { email: 'kim@example.com' }, transaction: { currency: 'USD' } }));
    await expect(calls.check(open())).resolves.toStrictEqual({ kind: 'passed' });
    expect(sent.map(({ url, source, headers }) => [url, source, headers['traceparent']])).toStrictEqual([
      [`https://shop.example/acme/sale/${invoiceId}/check`, 'configuration', TRACEPARENT],
    ]);
  });

  it("returns the random sum in the order's currency and the cards named in the response", async () => {
    const source = { cardRefId: 'csample0reference00c' as CardRefId, card: sampleCard() };
    const { calls } = server(checked({ transaction: { randomSumCentis: 111 } }), { named: { source } });
    await expect(calls.check(open())).resolves.toStrictEqual({
      kind: 'passed',
      source,
      randomSum: { minor: 111n, currency: order.amount.currency },
    });
  });

  it('seals added texts under a new key and does not reseal unchanged texts', async () => {
    const mapping = sealedBy('third', 'customer', packTexts({ holder: 'KIM LEE', email: 'kim@example.com', phone: '371' }));
    const source = { cardRefId: 'csample0reference00c' as CardRefId, card: sampleCard() };
    const { calls } = server(checked({ consumer: { email: 'kim@example.com' } }), { named: { source, sourceCustomer: mapping } });
    await expect(calls.check(open())).resolves.toStrictEqual({
      kind: 'passed',
      source,
      customer: sealedBy('second', 'customer', packTexts({ ...CUSTOMER, phone: '371' })),
    });
  });

  it('fails if the response contradicts the app', async () => {
    await expect(server(checked({ consumer: { email: 'lee@example.com' } })).calls.check(open())).resolves.toStrictEqual({
      kind: 'failed',
      cause: 'contradiction',
    });
  });

  it('fails for an unknown card and for a status other than 200', async () => {
    const unknown = { named: 'unknown-card' as unknown as NamedCards };
    await expect(server(checked(), unknown).calls.check(open())).resolves.toStrictEqual({ kind: 'failed', cause: 'unknown-card' });
    await expect(server(checked({}, 500)).calls.check(open())).resolves.toStrictEqual({ kind: 'failed', cause: 'refused' });
  });

  it('is unreachable without a configured merchant server, fails for erased texts and sends nothing in both cases', async () => {
    const gone = server(checked(), { isConfigured: false });
    await expect(gone.calls.check(open())).resolves.toStrictEqual({ kind: 'unreachable' });
    const erased = server(checked());
    await expect(erased.calls.check(open({ device: sealedBy('erased', 'device', '') }))).resolves.toStrictEqual({
      kind: 'failed',
      cause: 'refused',
    });
    expect([...gone.sent, ...erased.sent]).toStrictEqual([]);
  });
});

describe('the first card mapping notification of an order (interface, section 4.8)', () => {
  const cards = { source: { cardRefId: 'csample0reference00c' as CardRefId, uid: 'uid' as CardUid } };
  const heard = (outcome: EgressOutcome) => server(outcome).calls.notify(open(), cards);

  it('is sent signed and within the configured wait, with reference, number, BIN and nonce [W526]', async () => {
    const { calls, sent, clock } = server(acknowledged());
    await expect(calls.notify(open(), cards)).resolves.toBe('acknowledged');
    const headers = { traceparent: TRACEPARENT };
    expect(sent).toMatchObject([{ url: 'https://shop.example/acme/sale/notification', deadlineMs: 1_500, headers }]);
    expect(isWebhookAuthentic(sent[0]?.headers ?? {}, sent[0]?.body ?? '', SECRET, clock.now())).toBe(true);
    expect(JSON.parse(sent[0]?.body ?? '')).toStrictEqual({
      consumer: { device: { serialNumber } },
      session: { accessToken: DEVICE.accessToken, nonce, token },
      sourceCard: {
        bin: Number(sampleCard().face.bin),
        reference: { serverCardId: 'csample0reference00c', uniqueReferenceCardId: 100_000_001 },
      },
    });
  });

  it('contains both cards of a transfer with their own references', async () => {
    const { calls, sent } = server(acknowledged());
    const destination = { cardRefId: 'dsample0reference00c' as CardRefId, uid: 'other-uid' as CardUid };
    const receiving = sampleReceivingCard();
    const face = { ...receiving.face, bin: '555544' };
    const moved = open({ plan: devicePlan({ operation: 'transfer' }), destination: { ...receiving, face } });
    await calls.notify(moved, { ...cards, destination });
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
      sourceCard: { bin: Number(sampleCard().face.bin), reference: { serverCardId: cards.source.cardRefId } },
      destinationCard: { bin: 555544, reference: { serverCardId: destination.cardRefId, uniqueReferenceCardId: 100_000_002 } },
    });
  });

  it('is acknowledged only by HTTP 200 with the right signature [W409]', async () => {
    for (const status of [201, 202, 302, 400, 403, 500]) await expect(heard(acknowledged(status))).resolves.toBe('not-acknowledged');
    await expect(heard(checked())).resolves.toBe('not-acknowledged');
    await expect(heard({ kind: 'answered', status: 200 })).resolves.toBe('not-acknowledged');
    await expect(heard({ kind: 'timed-out' })).resolves.toBe('not-acknowledged');
  });

  it('is not sent if the merchant has card mapping off [W534]', async () => {
    const { calls, sent } = server(acknowledged(), { cardMapping: 'off' });
    await expect(calls.notify(open(), cards)).resolves.toBe('off');
    expect(sent).toStrictEqual([]);
  });

  it('is not sent if the merchant server is no longer configured or the texts were erased', async () => {
    const gone = server(acknowledged(), { isConfigured: false });
    await expect(gone.calls.notify(open(), cards)).resolves.toBe('not-acknowledged');
    const erased = server(acknowledged());
    await expect(erased.calls.notify(open({ device: sealedBy('erased', 'device', '') }), cards)).resolves.toBe('not-acknowledged');
    expect([...gone.sent, ...erased.sent]).toStrictEqual([]);
  });
});
