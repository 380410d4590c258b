import { orderNumbersOf, ORDER_KINDS, type OrderId, type OrderKind } from '@app/kernel';
import { serialCodec, StoreUnavailable, type EventStore, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { sampleOrderNumbers, seededIds, seededRandom, VirtualClock } from '@app/testing';
import { ORDER_BLOCK_SIZE, OrderIdSource, type OrderIdSourceSettings, type OrderNumbersUsed } from './order-ids';

const clock = new VirtualClock();
const ids = seededIds();
const random = seededRandom(5);
const numbers = sampleOrderNumbers();
const KINDS = Object.values(ORDER_KINDS);

const idSource = (store: EventStore, more: Partial<OrderIdSourceSettings> = {}): OrderIdSource =>
  new OrderIdSource({ form: 'numeric', numbers, random, store, clock, ids, bootId: 'boot-1', onReserved: () => undefined, ...more });
const blocks = async (store: EventStore, kind: OrderKind): Promise<number> => {
  let count = 0;
  for await (const _ of store.read(`serial-orders.${kind}` as StreamName)) count += 1;
  return count;
};

describe('order ids', () => {
  it('are numbers of ten digits that encode their kind, unique over instances and restarts [W488]', async () => {
    const store = new MemoryEventStore(clock);
    const idSources = [idSource(store), idSource(store, { bootId: 'boot-2' }), idSource(store, { bootId: 'boot-3' })];
    const given = new Map<OrderId, OrderKind>();
    for (let order = 0; order < 3_000; order++) {
      for (const kind of KINDS) {
        const id = await (idSources[order % idSources.length] as OrderIdSource).next(kind);
        expect(id).toMatch(/^[12]\d{9}$/);
        expect(idSources[0]?.kindOf(id)).toBe(kind);
        given.set(id, kind);
      }
    }
    const again = idSource(store);
    for (const kind of KINDS) given.set(await again.next(kind), kind);
    expect(given.size).toBe(3_001 * KINDS.length);
  });

  it('are assigned synchronously from a block, which is reserved with the first order of its kind [W488]', async () => {
    const store = new MemoryEventStore(clock);
    const at = idSource(store);
    expect(await Promise.all(KINDS.map((kind) => blocks(store, kind)))).toStrictEqual([0, 0, 0, 0]);
    await at.next('payment');
    const rest = Array.from({ length: ORDER_BLOCK_SIZE - 1 }, () => at.next('payment'));
    expect(rest.every((id) => typeof id === 'string')).toBe(true);
    expect(new Set(rest).size).toBe(ORDER_BLOCK_SIZE - 1);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(typeof at.next('payment')).toBe('string');
    expect(await Promise.all(KINDS.map((kind) => blocks(store, kind)))).toStrictEqual([2, 0, 0, 0]);
  });

  it('cannot be assigned without a block while the store is unavailable, and can after it returns', async () => {
    const store = new MemoryEventStore(clock);
    let isAway = true;
    const flaky = Object.assign(Object.create(store) as EventStore, {
      append: (...given: Parameters<EventStore['append']>) =>
        isAway ? Promise.reject(new StoreUnavailable('away')) : store.append(...given),
    });
    const at = idSource(flaky);
    await expect(at.next('recurring')).rejects.toThrow(StoreUnavailable);
    isAway = false;
    expect(at.kindOf(await at.next('recurring'))).toBe('recurring');
  });

  it('report how many numbers of their kind are used', async () => {
    const reports: OrderNumbersUsed[] = [];
    const at = idSource(new MemoryEventStore(clock), { onReserved: (used) => reports.push(used) });
    await at.next('transfer');
    expect(reports).toStrictEqual([{ kind: 'transfer', used: ORDER_BLOCK_SIZE, of: 143_435_456 }]);
  });

  it('become text when the numbers of their kind run out, and other kinds keep numbers [W493]', async () => {
    const store = new MemoryEventStore(clock);
    const last = BigInt(Math.ceil(orderNumbersOf('transfer') / ORDER_BLOCK_SIZE) - 1);
    const nearEnd = Object.assign(Object.create(store) as EventStore, {
      append: (stream: StreamName, expected: Parameters<EventStore['append']>[1], events: Parameters<EventStore['append']>[2]) => {
        if (!stream.endsWith('.transfer')) return store.append(stream, expected, events);
        if (expected === 'no_stream') return Promise.resolve({ kind: 'conflict', actual: last - 1n });
        return Promise.resolve(expected < last ? { kind: 'appended', revision: last } : { kind: 'conflict', actual: last });
      },
      read: (stream: StreamName, ...given: never[]) =>
        stream.endsWith('.transfer')
          ? (async function* () {
              await Promise.resolve();
              const data = { first: (last - 1n) * BigInt(ORDER_BLOCK_SIZE), count: ORDER_BLOCK_SIZE, holder: 'boot-0' };
              const envelope = { correlation: 'b', causation: 'b', actor: 'a', merchant: '', commandId: 'c', recordedAt: clock.now() };
              const [event] = serialCodec.encode([{ type: 'BlockReserved', data }], stream, 'no_stream', envelope);
              yield { stream, revision: last - 1n, ...event };
            })()
          : store.read(stream, ...given),
    });
    const at = idSource(nearEnd);
    const left = orderNumbersOf('transfer') - Number(last) * ORDER_BLOCK_SIZE;
    const given: OrderId[] = [];
    for (let order = 0; order < left; order++) given.push(await at.next('transfer'));
    expect(given.every((id) => /^\d{10}$/.test(id) && at.kindOf(id) === 'transfer')).toBe(true);
    const beyond = at.next('transfer');
    expect(await beyond).toMatch(/^t[a-z0-9]{14}r$/);
    expect(at.next('transfer')).toMatch(/^t[a-z0-9]{14}r$/);
    expect(await at.next('payment')).toMatch(/^\d{10}$/);
  });

  it.each(KINDS)('are text without access to the store if text is configured: %s', (kind) => {
    const at = idSource({} as EventStore, { form: 'text' });
    const id = at.next(kind);
    expect(id).toMatch(/^[prvt][a-z0-9]{14}r$/);
    expect(at.kindOf(id as OrderId)).toBe(kind);
  });

  it('are read in both forms, regardless of the configured form', async () => {
    const store = new MemoryEventStore(clock);
    const numeric = idSource(store);
    const text = idSource(store, { form: 'text' });
    for (const kind of KINDS) {
      expect(text.kindOf(await numeric.next(kind))).toBe(kind);
      expect(numeric.kindOf(await text.next(kind))).toBe(kind);
    }
  });
});
