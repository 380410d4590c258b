import { load, OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { Random } from '@app/kernel';
import { seededIds, seededRandom, VirtualClock } from '@app/testing';
import { deliveryCodec, deliveryStream } from './delivery.codec';
import { delivery } from '../domain/delivery';
import { startDelivering } from '../testing/delivering';
import { failingStore, type AppendFault } from '../testing/failing-store';
import { answers, FakeMerchants, type ReceivedCall, type Reaction } from '../testing/fake-merchants';
import { factsOf, merchantsNamed, notifiedOrder } from '../testing/notified-orders';

const ORDERS = 200;
const MERCHANTS = ['acme', 'bolt', 'crane'] as const;
const orders = Array.from({ length: ORDERS }, (_, index) => notifiedOrder(index, MERCHANTS[index % MERCHANTS.length] ?? 'acme'));
/** Shortens two weeks to minutes of virtual time. */
const SPEED_FACTOR = 1_000;
const LONGEST_MS = 3_600_000;

const pick = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random.fraction() * items.length)] ?? items[0];

const RANDOM_REACTIONS: readonly [Reaction, ...Reaction[]] = [
  answers(200),
  answers(200),
  answers(200),
  answers(503),
  answers(302),
  answers(404),
  { kind: 'down' },
  { kind: 'answer-lost' },
  { kind: 'hangs' },
];
const RANDOM_FAULTS: readonly [AppendFault, ...AppendFault[]] = ['none', 'none', 'none', 'none', 'refused', 'answer-lost'];

const isDelivering = ({ reaction }: ReceivedCall): boolean => reaction.kind === 'answers' && reaction.status === 200;

const deliverAll = async (
  seed: number,
  react: (clock: VirtualClock, random: Random) => Reaction,
  faultOf: (random: Random) => AppendFault,
) => {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const log = new MemoryEventStore(clock);
  const servers = new FakeMerchants(clock, () => react(clock, random));
  const ports = {
    store: failingStore(log, () => faultOf(random)),
    facts: factsOf(orders),
    merchants: merchantsNamed(...MERCHANTS),
    egress: servers,
    ids: seededIds(seed),
    random,
    speedFactor: SPEED_FACTOR,
  };
  const { work, errors, stop } = startDelivering(orders, log, clock, ports);
  await clock.advanceUntil(() => work.size === 0, LONGEST_MS);
  // Work items dispatched late or again send nothing.
  const callsWhenDone = servers.calls.length;
  await clock.advance(60_000);
  expect(servers.calls).toHaveLength(callsWhenDone);
  await stop();
  return { log, servers, errors };
};

const expectAllDelivered = async (log: MemoryEventStore, servers: FakeMerchants): Promise<void> => {
  const sent = new Map<string, Set<string>>();
  const answered200 = new Set<string>();
  for (const call of servers.received) {
    const { orderid } = JSON.parse(call.body) as { orderid: string };
    sent.set(orderid, (sent.get(orderid) ?? new Set()).add(`${call.headers['webhook-id']} ${call.body}`));
    if (isDelivering(call)) answered200.add(orderid);
  }
  expect(sent.size).toBe(ORDERS);
  for (const { factId, fact } of orders) {
    const [idAndBody, ...others] = sent.get(fact.members.orderid) ?? [];
    expect(idAndBody?.split(' ')[0]).toBe(factId);
    expect(others).toStrictEqual([]);
    const { state } = await load(log, deliveryStream(factId, 'callback'), delivery, deliveryCodec);
    expect(state.status).toBe('delivered');
    expect(answered200).toContain(fact.members.orderid);
  }
};

describe('at-least-once delivery of callbacks with one id per fact (safety, B10)', () => {
  it(`delivers ${ORDERS} orders despite random merchant and store faults, with one id per fact`, async () => {
    const { log, servers, errors } = await deliverAll(
      1,
      (_, random) => pick(random, RANDOM_REACTIONS),
      (random) => pick(random, RANDOM_FAULTS),
    );
    await expectAllDelivered(log, servers);
    // Proves that faults occurred: failed records, and calls repeated after a 200.
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.filter((error) => !(error instanceof StoreUnavailable || error instanceof OutcomeUnknown))).toStrictEqual([]);
    expect(servers.calls.filter(isDelivering).length).toBeGreaterThan(ORDERS);
  });

  it(`delivers ${ORDERS} orders with one call each if nothing fails`, async () => {
    const { log, servers, errors } = await deliverAll(
      1,
      () => answers(200),
      () => 'none',
    );
    await expectAllDelivered(log, servers);
    expect(servers.calls).toHaveLength(ORDERS);
    expect(errors).toStrictEqual([]);
  });

  it(`delivers ${ORDERS} orders by later attempts after a merchant outage of an hour`, async () => {
    const outageMs = 3_600_000 / SPEED_FACTOR;
    const startMs = new VirtualClock().now();
    const { log, servers, errors } = await deliverAll(
      1,
      (clock) => (clock.now() - startMs < outageMs ? { kind: 'down' } : answers(200)),
      () => 'none',
    );
    await expectAllDelivered(log, servers);
    expect(servers.received).toHaveLength(ORDERS);
    expect(servers.calls.length).toBeGreaterThan(ORDERS * 7);
    expect(errors).toStrictEqual([]);
  });
});
