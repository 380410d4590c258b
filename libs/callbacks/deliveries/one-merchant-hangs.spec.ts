import { MemoryEventStore } from '@app/event-store/stores/memory';
import { seededIds, seededRandom, settle, VirtualClock } from '@app/testing';
import type { EgressOutcome } from '@app/http/client';
import { startDelivering } from '../testing/delivering';
import { answers, FakeMerchants } from '../testing/fake-merchants';
import { factsOf, merchantsNamed, notifiedOrder } from '../testing/notified-orders';
import type { TriedCallback } from './deliver-callback.reactor';

const HANGING = 10;
const HEALTHY = 30;
const LANE_MAX = 4;
const orders = [
  ...Array.from({ length: HANGING }, (_, index) => notifiedOrder(index, 'acme')),
  ...Array.from({ length: HEALTHY }, (_, index) => notifiedOrder(HANGING + index, 'bolt')),
];

const start = (clock: VirtualClock, egress: { send: FakeMerchants['send'] }) => {
  const log = new MemoryEventStore(clock);
  const tried: TriedCallback[] = [];
  const ports = {
    store: log,
    facts: factsOf(orders),
    merchants: merchantsNamed('acme', 'bolt'),
    egress,
    ids: seededIds(),
    random: { ...seededRandom(), fraction: () => 0.5 },
    speedFactor: 1,
    onTried: (one: TriedCallback) => void tried.push(one),
  };
  const delivering = startDelivering(orders, log, clock, ports, { inFlightMax: 4 * LANE_MAX, inFlightPerLaneMax: LANE_MAX });
  return { ...delivering, tried };
};

describe('one merchant that hangs every call (safety, B18)', () => {
  it('does not delay the callbacks of another merchant, even if its callbacks came first and fill its lane', async () => {
    const clock = new VirtualClock();
    const startMs = clock.now();
    const servers = new FakeMerchants(clock, ({ url }) => (url.includes('acme') ? { kind: 'hangs' } : answers(200)));
    const { tried, work, stop } = start(clock, servers);
    for (let turns = 0; turns < 1_000 && tried.length < HEALTHY; turns++) await settle();
    expect(clock.now()).toBe(startMs);
    expect(tried).toHaveLength(HEALTHY);
    expect(tried.every(({ merchant, outcome }) => merchant === 'bolt' && outcome === 'delivered')).toBe(true);
    const hanging = servers.calls.filter(({ url }) => url.includes('acme'));
    expect(hanging).toHaveLength(LANE_MAX);
    expect(work.size).toBe(HANGING);
    await stop();
  });

  it('has its own callbacks attempted in order as its lane becomes free', async () => {
    const clock = new VirtualClock();
    const startMs = clock.now();
    const servers = new FakeMerchants(clock, ({ url }) => (url.includes('acme') ? { kind: 'hangs' } : answers(200)));
    const { tried, errors, stop } = start(clock, servers);
    await clock.advance(30_000);
    const firstTries = tried.filter(({ merchant, tryNumber }) => merchant === 'acme' && tryNumber === 1);
    expect(firstTries.map(({ outcome }) => outcome)).toStrictEqual(Array<string>(HANGING).fill('timed-out'));
    const begun = servers.calls.filter(({ url }) => url.includes('acme')).map(({ atMs }) => atMs - startMs);
    expect(begun.slice(0, HANGING)).toStrictEqual([0, 0, 0, 0, 10_000, 10_000, 10_000, 10_000, 20_000, 20_000]);
    expect(errors).toStrictEqual([]);
    await stop();
  });
});

describe('a call rejected by our own egress limit', () => {
  it('is made a moment later as the first attempt', async () => {
    const clock = new VirtualClock();
    const servers = new FakeMerchants(clock, () => answers(200));
    let heldBack = 0;
    const overloaded: EgressOutcome = { kind: 'not-sent', cause: 'overloaded' };
    const { tried, work, errors, stop } = start(clock, {
      send: (request) => (heldBack++ < 5 ? Promise.resolve(overloaded) : servers.send(request)),
    });
    await clock.advanceUntil(() => work.size === 0, 60_000);
    expect(servers.calls).toHaveLength(orders.length);
    expect(tried.every(({ tryNumber, outcome }) => tryNumber === 1 && outcome === 'delivered')).toBe(true);
    expect(errors.map(({ name }) => name)).toStrictEqual(Array<string>(5).fill('CallbackNotSent'));
    await stop();
  });
});
