import type { OrderSealer } from '@app/card-vault';
import { metadataOf, type EventId, type EventMetadata } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { MerchantLogin } from '@app/kernel';
import { seededIds, seededRandom, VirtualClock } from '@app/testing';
import { deliveryCodec, deliveryKey, deliveryStream } from './delivery.codec';
import { type DeliveryEvent, TRIES_MAX } from '../domain/delivery';
import { startDelivering } from '../testing/delivering';
import { answers, FakeMerchants, type Reaction } from '../testing/fake-merchants';
import { factsOf, merchantsNamed, notifiedOrder } from '../testing/notified-orders';
import { ResendCallback } from './resend-callback';

const order = notifiedOrder(1, 'acme');
const identity = { factId: order.factId, target: 'callback', orderStream: order.stream } as const;
const deliveryId = deliveryKey(order.factId, 'callback');
const request = { deliveryId, reason: 'The merchant lost its data base', by: { actor: 'operator:kim', claimedActor: 'jane' } };

const world = (react: (callNumber: number) => Reaction) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const ids = seededIds();
  const servers = new FakeMerchants(clock, (_, callNumber) => react(callNumber));
  const random = { ...seededRandom(), fraction: () => 0.5 };
  const delivering = startDelivering([order], store, clock, {
    store,
    facts: factsOf([order]),
    merchants: merchantsNamed('acme'),
    egress: servers,
    ids,
    random,
    speedFactor: 1,
  });
  const sealer = {
    takeKey: () => Promise.resolve({ id: 'key', seal: (merchant: MerchantLogin, field: string) => `sealed for ${merchant}: ${field}` }),
  };
  const resending = new ResendCallback({ store, sealer: sealer as unknown as OrderSealer, clock, ids });
  const recorded = async (): Promise<(readonly [DeliveryEvent, EventMetadata])[]> => {
    const found: (readonly [DeliveryEvent, EventMetadata])[] = [];
    for await (const stored of store.read(deliveryStream(order.factId, 'callback'))) {
      found.push([deliveryCodec.decode(stored), metadataOf(stored)]);
    }
    return found;
  };
  return { clock, servers, delivering, resending, recorded };
};

const calledTimes = async ({ clock, servers }: Pick<ReturnType<typeof world>, 'clock' | 'servers'>, count: number): Promise<void> => {
  for (let turn = 0; turn < 1_000 && servers.calls.length < count; turn++) await clock.advance(1);
  expect(servers.calls).toHaveLength(count);
};

/** Longer than any delay of the schedule, without a virtual day of polling. */
const aDayOn = async ({ clock }: Pick<ReturnType<typeof world>, 'clock'>): Promise<void> => {
  clock.jump(25 * 3_600_000);
  await clock.advance(5_000);
};

describe('a callback resent by an operator (decisions, section 6; safety, F30 and T43)', () => {
  it('is sent at once after a delivery, with the same id and bytes, and the event records actor and reason', async () => {
    const at = world(() => answers(200));
    await calledTimes(at, 1);
    await at.clock.advance(1);
    const requestedAt = at.clock.now();
    await expect(at.resending.resend(request)).resolves.toStrictEqual({ reason: 'requested', merchant: 'acme', delivery: identity });
    await calledTimes(at, 2);
    await at.delivering.stop();
    const [first, second] = at.servers.calls;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(order.factId);
    const recorded = await at.recorded();
    expect(recorded.map(([{ type }]) => type)).toStrictEqual(['CallbackDelivered', 'CallbackResendRequested', 'CallbackDelivered']);
    expect(recorded[1]?.[0].data).toStrictEqual({ ...identity, reason: 'sealed for acme: resend-reason', requestedAt });
    expect(recorded[1]?.[1]).toMatchObject({
      actor: 'operator:kim',
      claimedActor: 'jane',
      merchant: 'acme',
      causation: order.factId,
      correlation: order.fact.correlation,
    });
  });

  it('is sent after the delivery was exhausted', async () => {
    const at = world((call) => (call <= TRIES_MAX ? { kind: 'down' } : answers(200)));
    for (let round = 0; round < 100 && at.servers.calls.length < TRIES_MAX; round++) await aDayOn(at);
    expect((await at.recorded()).at(-1)?.[0].type).toBe('CallbackExhausted');
    await expect(at.resending.resend(request)).resolves.toMatchObject({ reason: 'requested' });
    await calledTimes(at, TRIES_MAX + 1);
    await at.delivering.stop();
    expect((await at.recorded()).at(-1)?.[0]).toMatchObject({ type: 'CallbackDelivered', data: { tries: TRIES_MAX + 1 } });
  });

  it('is sent before its next attempt is due and replaces that attempt', async () => {
    const at = world((call) => (call === 1 ? answers(500) : answers(200)));
    await calledTimes(at, 1);
    await at.clock.advance(1);
    await expect(at.resending.resend(request)).resolves.toMatchObject({ reason: 'requested' });
    await calledTimes(at, 2);
    await aDayOn(at);
    await calledTimes(at, 2);
    await at.delivering.stop();
  });

  it('does not move the scheduled attempts, however many are requested before the next one', async () => {
    const at = world(() => ({ kind: 'down' }));
    await calledTimes(at, 1);
    await at.clock.advance(1);
    const [first] = (await at.recorded()).map(([event]) => event);
    if (first?.type !== 'CallbackFailed') throw new Error('the first try did not fail');
    const scheduledAt = first.data.nextTryAt;
    for (let asked = 1; asked <= 10; asked++) {
      await at.clock.advance(1_000);
      await expect(at.resending.resend(request)).resolves.toMatchObject({ reason: 'requested' });
      await at.clock.advance(200);
      expect(at.servers.calls).toHaveLength(1 + asked);
    }
    const last = (await at.recorded()).at(-1);
    expect(last?.[0]).toMatchObject({ type: 'CallbackFailed', data: { tryNumber: 11, nextTryAt: scheduledAt } });
    await at.clock.advance(scheduledAt - at.clock.now() + 200);
    await at.delivering.stop();
    const scheduled = (await at.recorded()).at(-1);
    expect(scheduled?.[0]).toMatchObject({ type: 'CallbackFailed', data: { tryNumber: 12 } });
    expect(scheduled?.[0].type === 'CallbackFailed' && scheduled[0].data.nextTryAt - scheduled[0].data.failedAt).toBe(30_000);
  });

  it('is sent once if requested twice', async () => {
    const at = world(() => answers(200));
    await calledTimes(at, 1);
    await at.delivering.stop();
    await expect(at.resending.resend(request)).resolves.toMatchObject({ reason: 'requested' });
    await expect(at.resending.resend(request)).resolves.toMatchObject({ reason: 'due-already' });
    expect((await at.recorded()).map(([{ type }]) => type)).toStrictEqual(['CallbackDelivered', 'CallbackResendRequested']);
  });

  it.each([
    ['names an unknown delivery', deliveryKey('5a17c0de-0000-5000-8000-00000000dead' as EventId, 'callback')],
    ['names another target', deliveryKey(order.factId, 'notify')],
    ['names no delivery', 'payment-abc'],
    ['is empty', ''],
  ])('returns unknown-delivery if its id %s', async (_, unknown) => {
    const at = world(() => answers(200));
    await calledTimes(at, 1);
    await at.delivering.stop();
    await expect(at.resending.resend({ ...request, deliveryId: unknown })).resolves.toStrictEqual({ reason: 'unknown-delivery' });
  });
});
