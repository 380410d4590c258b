import type { Accounts } from '@app/configuration';
import type { OrderSealer } from '@app/card-vault';
import { FOLLOWED_EVERY_MS, metadataOf, OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import { systemIds, type MerchantLogin } from '@app/kernel';
import { settle, VirtualClock } from '@app/testing';
import { orderHoldsStream } from '../../events/order-holds.codec';
import { OrderSwitches } from './order-switches';

const KIM = { actor: 'operator:kim' };
const REASON = 'the acquirer reports an outage';
const accounts = {
  gates: [{ alias: 'sim-a' }, { alias: 'sim-b' }],
  entryPoint: (kind: string, id: string) =>
    kind === 'endpoint' && id === '1001' ? { kind, id, merchant: 'acme' as MerchantLogin } : undefined,
} as unknown as Accounts;
const sealer = {
  takeKey: async () => ({
    seal: (_merchant: string, field: string, text: string) => `v1.AAAAAAAAAAAAAAAAAAAA.${Buffer.from(field + text).toString('base64url')}`,
  }),
} as unknown as OrderSealer;

const setUp = () => {
  const clock = new VirtualClock();
  const store = new StumblingStore(new MemoryEventStore(clock));
  const errors: unknown[] = [];
  const process = (configured = accounts) =>
    new OrderSwitches({
      store,
      accounts: configured,
      sealer,
      clock,
      ids: systemIds,
      scheduler: clock,
      onError: (error) => errors.push(error),
    });
  const started = async (configured?: Accounts) => {
    const switches = process(configured);
    await switches.start();
    return switches;
  };
  const recorded = async () => {
    const events: string[] = [];
    for await (const event of store.read(orderHoldsStream())) events.push(`${metadataOf(event).actor} ${event.type}`);
    return events;
  };
  return { clock, store, errors, process, started, recorded };
};

const GATE = { kind: 'gate', id: 'sim-a' } as const;
const ENDPOINT = { kind: 'endpoint', id: '1001', merchant: 'acme' as MerchantLogin } as const;

describe('OrderSwitches', () => {
  it('holds and releases at once in the process that is asked, and within seconds in every other', async () => {
    const { clock, started, recorded } = setUp();
    const [one, other] = [await started(), await started()];
    const since = clock.now();
    expect(await one.turn('HoldNewOrders', GATE, REASON, KIM)).toBe('held');
    expect([one, other].map((process) => process.isHeld('gate', 'sim-a'))).toStrictEqual([true, false]);
    await clock.advance(FOLLOWED_EVERY_MS);
    expect(other.holds()).toStrictEqual([{ ...GATE, since, by: 'operator:kim' }]);
    expect(other.isHeld('gate', 'sim-b')).toBe(false);
    expect(await other.turn('ReleaseNewOrders', GATE, REASON, { actor: 'operator:joe' })).toBe('released');
    await clock.advance(FOLLOWED_EVERY_MS);
    expect(one.holds()).toStrictEqual([]);
    expect(await recorded()).toStrictEqual(['operator:kim NewOrdersHeld', 'operator:joe NewOrdersReleased']);
  });

  it('records nothing if the target is already held or released, also by another process', async () => {
    const { started, recorded } = setUp();
    const [one, other] = [await started(), await started()];
    await one.turn('HoldNewOrders', ENDPOINT, REASON, KIM);
    expect(await other.turn('HoldNewOrders', ENDPOINT, REASON, KIM)).toBe('held-before');
    expect(other.isHeld('endpoint', '1001')).toBe(true);
    await one.turn('ReleaseNewOrders', ENDPOINT, REASON, KIM);
    expect(await one.turn('ReleaseNewOrders', ENDPOINT, REASON, KIM)).toBe('not-held');
    expect(await recorded()).toHaveLength(2);
  });

  it('is in force at the start of a process, which accepts no order until it has read the switches', async () => {
    const { clock, store, errors, process, started } = setUp();
    await (await started()).turn('HoldNewOrders', GATE, REASON, KIM);
    store.isAway = true;
    const next = process();
    await next.start();
    expect(() => next.isHeld('gate', 'sim-b')).toThrow(StoreUnavailable);
    expect([next.holds(), errors]).toMatchObject([[], [{ message: 'away' }]]);
    store.isAway = false;
    await clock.advance(FOLLOWED_EVERY_MS);
    expect(next.isHeld('gate', 'sim-a')).toBe(true);
  });

  it('keeps the last known state while the store is unavailable, and reads no more after its stop', async () => {
    const { clock, store, started } = setUp();
    const switches = await started();
    await switches.turn('HoldNewOrders', GATE, REASON, KIM);
    store.isAway = true;
    await clock.advance(FOLLOWED_EVERY_MS);
    expect(switches.isHeld('gate', 'sim-a')).toBe(true);
    switches.stop();
    const { reads } = store;
    await clock.advance(2 * FOLLOWED_EVERY_MS);
    expect([store.reads - reads, clock.pending]).toStrictEqual([0, 0]);
  });

  it('finds configured targets, and a held target that the configuration no longer has', async () => {
    const { started } = setUp();
    const switches = await started();
    expect([switches.find('gate', 'sim-a'), switches.find('endpoint', '1001')]).toStrictEqual([GATE, ENDPOINT]);
    expect([switches.find('gate', '1001'), switches.find('endpoint', 'sim-a')]).toStrictEqual([undefined, undefined]);
    await switches.turn('HoldNewOrders', ENDPOINT, REASON, KIM);
    const without = await started({ gates: [], entryPoint: () => undefined } as unknown as Accounts);
    expect(without.find('endpoint', '1001')).toStrictEqual(ENDPOINT);
  });

  it('is held once if the answer of the append is lost', async () => {
    const { store, started, recorded } = setUp();
    const switches = await started();
    store.stumble({ kind: 'stored-answer-lost' });
    expect(await switches.turn('HoldNewOrders', GATE, REASON, KIM)).toBe('held');
    expect(await recorded()).toHaveLength(1);
  });

  it('a hold that is stored and cannot be read back has an unknown outcome, and is in force after the next read', async () => {
    const { clock, store, started } = setUp();
    const switches = await started();
    store.stumble({ kind: 'rival', write: async () => void (store.isAway = true) });
    await expect(switches.turn('HoldNewOrders', GATE, REASON, KIM)).rejects.toThrow(OutcomeUnknown);
    store.isAway = false;
    await clock.advance(FOLLOWED_EVERY_MS);
    await settle();
    expect(switches.isHeld('gate', 'sim-a')).toBe(true);
  });
});
