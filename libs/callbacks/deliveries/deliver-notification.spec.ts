import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { EventId, StreamName } from '@app/event-store';
import { isWebhookAuthentic, notificationSignature } from '@app/gateway-protocol';
import { Secret, type Instant, type MerchantLogin } from '@app/kernel';
import { seededIds, seededRandom, VirtualClock } from '@app/testing';
import type { EgressOutcome, EgressRequest } from '@app/http/client';
import type { NotificationFact } from './callback-request';
import { deliveryCodec, deliveryKey, deliveryStream } from './delivery.codec';
import type { DeliveryEvent } from '../domain/delivery';
import { DeliverCallbackReactor, type CallbackMerchants } from './deliver-callback.reactor';

const KEY = new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20');
const FACT = '5a17c0de-0000-5000-8000-000000000001' as EventId;
const STREAM = 'transfer-a' as StreamName;
const fact: NotificationFact = {
  kind: 'notification',
  merchant: 'acme' as MerchantLogin,
  correlation: '00000000-0000-0000-0000-000000000001',
  notification: {
    operation: 'sale',
    endpointId: '1001',
    invoiceId: 'inv-1',
    nonce: 'n'.repeat(64),
    serialNumber: 'SN-1',
    accessToken: 'a'.repeat(64),
    token: '33333333-3333-4333-8333-333333333333',
    source: { serverCardId: 'csample0reference00c', uniqueReferenceCardId: 100_000_001, bin: '444433' },
  },
};
const { nonce, token, invoiceId, endpointId } = fact.notification;
const acknowledged = (key = KEY): EgressOutcome => ({
  kind: 'answered',
  status: 200,
  body: JSON.stringify({
    invoiceId,
    session: { checkSignature: notificationSignature({ nonce, endpointId, invoiceId }, key), nonce, token },
  }),
});

const world = (merchant: ReturnType<CallbackMerchants['merchant']>, outcomes: readonly EgressOutcome[]) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const sent: EgressRequest[] = [];
  const reactor = new DeliverCallbackReactor({
    store,
    facts: { factOf: () => Promise.resolve(fact) },
    merchants: { merchant: () => merchant },
    egress: {
      send: (request) => {
        sent.push(request);
        return Promise.resolve(outcomes[sent.length - 1] ?? { kind: 'timed-out' });
      },
    },
    clock,
    ids: seededIds(),
    random: seededRandom(),
    speedFactor: 1,
  });
  const key = deliveryKey(FACT, 'notification');
  const item = { key, stream: STREAM, task: 'notification', dueAt: clock.now(), merchant: fact.merchant, lane: 'acme' };
  const tries = async (count: number): Promise<readonly DeliveryEvent[]> => {
    for (let tried = 0; tried < count; tried++) {
      await reactor.on(item);
      clock.jump(86_400_000);
    }
    const events: DeliveryEvent[] = [];
    for await (const stored of store.read(deliveryStream(FACT, 'notification'))) events.push(deliveryCodec.decode(stored));
    return events;
  };
  return { tries, sent };
};
const MERCHANT = { controlKey: KEY, callback: { method: 'get' }, merchantUrl: 'https://shop.example/acme', cardMapping: 'notify' } as const;

describe('an unacknowledged card mapping notification is repeated on the callback schedule (protocol decisions, section 8) [W408]', () => {
  it('until a 200 with the right checkSignature, with the same bytes to the merchant server [W409]', async () => {
    const { tries, sent } = world(MERCHANT, [
      { kind: 'connection-failed', code: 'ECONNREFUSED' },
      { kind: 'answered', status: 403, body: '' },
      { kind: 'answered', status: 200 },
      acknowledged(new Secret('00000000-0000-0000-0000-000000000001')),
      acknowledged(),
    ]);
    const events = await tries(7);
    expect(events.map(({ type, data }) => ('failure' in data ? data.failure : type))).toStrictEqual([
      { cause: 'not-acknowledged' },
      { cause: 'connection-failed', code: 'ECONNREFUSED' },
      { cause: 'answered', status: 403 },
      { cause: 'not-acknowledged' },
      { cause: 'not-acknowledged' },
      'CallbackDelivered',
    ]);
    expect(events.every(({ data }) => data.target === 'notification' && data.orderStream === STREAM)).toBe(true);
    expect(sent).toHaveLength(5);
    expect(new Set(sent.map(({ method, url, body, headers }) => [method, url, body, headers['webhook-id']].join())).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(5);
    expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://shop.example/acme/sale/notification', source: 'configuration' });
  });

  it('from the second attempt on, because the first was made before the order ended', async () => {
    const { tries, sent } = world(MERCHANT, [acknowledged()]);
    const [first, ...others] = await tries(1);
    expect(sent).toEqual([]);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ type: 'CallbackFailed', data: { tryNumber: 1, failure: { cause: 'not-acknowledged' } } });
    const { failedAt = 0, nextTryAt = 0 } = (first?.data ?? {}) as { failedAt?: number; nextTryAt?: number };
    expect(nextTryAt - failedAt).toBeGreaterThanOrEqual(13_500);
    expect(nextTryAt - failedAt).toBeLessThanOrEqual(16_500);
    expect((await tries(1)).at(-1)).toMatchObject({ type: 'CallbackDelivered', data: { tries: 2 } });
    expect(sent).toHaveLength(1);
  });

  it('with a new signature per attempt if the merchant has a callback secret [W526]', async () => {
    const secret = new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    const { tries, sent } = world({ ...MERCHANT, callback: { method: 'get', secret } }, [
      { kind: 'answered', status: 500 },
      acknowledged(),
    ]);
    expect((await tries(3)).map(({ type }) => type)).toStrictEqual(['CallbackFailed', 'CallbackFailed', 'CallbackDelivered']);
    expect(new Set(sent.map(({ headers }) => headers['webhook-signature'])).size).toBe(2);
    for (const { headers, body = '' } of sent) {
      const sentAt = (Number(headers['webhook-timestamp']) * 1_000) as Instant;
      expect(isWebhookAuthentic(headers, body, secret, sentAt)).toBe(true);
    }
  });

  it('and counts an attempt if the merchant no longer has a server or notifications [W534]', async () => {
    const { merchantUrl: _gone, ...withoutServer } = MERCHANT;
    for (const merchant of [withoutServer, { ...MERCHANT, cardMapping: 'off' } as const]) {
      const { tries, sent } = world(merchant, []);
      const failures = (await tries(2)).map(({ data }) => 'failure' in data && data.failure);
      expect(failures).toStrictEqual([{ cause: 'not-acknowledged' }, { cause: 'no-address' }]);
      expect(sent).toStrictEqual([]);
    }
  });
});
