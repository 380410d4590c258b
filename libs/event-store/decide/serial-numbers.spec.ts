import { seededIds, VirtualClock } from '@app/testing';
import { MemoryEventStore } from '../stores/memory';
import { OutcomeUnknown, StoreUnavailable, type EventStore, type Revision, type StreamName } from '../core/port';
import { serialCodec, SERIAL_BLOCK_SIZE, SerialNumbers } from './number-blocks';

const clock = new VirtualClock();
const ids = seededIds();
const open = (store: EventStore, bootId = 'boot-1') => SerialNumbers.open({ store, clock, ids, bootId });
const blocks = async (store: EventStore): Promise<number> => {
  let count = 0;
  for await (const _ of store.read('serial-blocks' as StreamName)) count += 1;
  return count;
};

describe('SerialNumbers', () => {
  it('issues numbers synchronously, as UUIDs of the documented form, and never the nil UUID [W232]', async () => {
    const serials = await open(new MemoryEventStore(clock));
    expect(serials.next()).toBe('00000000-0000-0000-0000-000000000001');
    expect(serials.next()).toBe('00000000-0000-0000-0000-000000000002');
  });

  it('issues unique numbers across instances and restarts [W233]', async () => {
    const store = new MemoryEventStore(clock);
    const instances = await Promise.all(Array.from({ length: 20 }, (_, index) => open(store, `boot-${index}`)));
    const again = await open(store, 'boot-1');
    const given = [...instances, again].flatMap((serials) => Array.from({ length: 1_000 }, () => serials.next()));
    expect(new Set(given).size).toBe(21_000);
    expect(given.every((serial) => typeof serial === 'string' && /^00000000-0000-0000-0000-[0-9a-f]{12}$/.test(serial))).toBe(true);
  });

  it('reserves each next block in advance, so that numbers continue without a wait', async () => {
    const store = new MemoryEventStore(clock);
    const serials = await open(store);
    const given = new Set<unknown>();
    for (let index = 0; index < 3 * SERIAL_BLOCK_SIZE; index++) {
      given.add(serials.next());
      if (index % 10_000 === 0) await new Promise((resolve) => void setImmediate(resolve));
    }
    expect(given.size).toBe(3 * SERIAL_BLOCK_SIZE);
    expect([...given].every((serial) => typeof serial === 'string')).toBe(true);
    expect(await blocks(store)).toBe(4);
  });

  it('waits for the next block if one is used up, and issues no number twice', async () => {
    const serials = await open(new MemoryEventStore(clock));
    const given = await Promise.all(Array.from({ length: SERIAL_BLOCK_SIZE + 100 }, async () => serials.next()));
    expect(new Set(given).size).toBe(SERIAL_BLOCK_SIZE + 100);
  });

  it('fails while the store is unavailable and no block is left, and recovers afterwards', async () => {
    const store = new MemoryEventStore(clock);
    let isAway = false;
    const flaky: EventStore = {
      append: (...given) => (isAway ? Promise.reject(new StoreUnavailable('away')) : store.append(...given)),
      read: (...given) => store.read(...given),
      subscribe: (...given) => store.subscribe(...given),
      head: () => store.head(),
      comparePositions: (a, b) => store.comparePositions(a, b),
      close: () => store.close(),
    };
    const serials = await open(flaky);
    isAway = true;
    const rest = Array.from({ length: SERIAL_BLOCK_SIZE - 1 }, () => serials.next());
    expect(rest.every((serial) => typeof serial === 'string')).toBe(true);
    await expect(serials.next()).rejects.toThrow(StoreUnavailable);
    isAway = false;
    await expect(serials.next()).resolves.toBe('00000000-0000-0000-0000-000000010000');
  });

  it('keeps its reserved block if the answer to the reservation was lost', async () => {
    const store = new MemoryEventStore(clock);
    let lost = 0;
    const losing = Object.assign(Object.create(store) as EventStore, {
      append: async (...given: Parameters<EventStore['append']>) => {
        const answer = await store.append(...given);
        if (lost++ === 0) throw new OutcomeUnknown('lost');
        return answer;
      },
      read: (...given: Parameters<EventStore['read']>) => store.read(...given),
    });
    expect((await open(losing)).next()).toBe('00000000-0000-0000-0000-000000000001');
    expect(await blocks(store)).toBe(1);
  });

  const failing = (failures: readonly Error[], isStored = false) => {
    const store = new MemoryEventStore(clock);
    const left = [...failures];
    const appends = { count: 0 };
    const failingStore = Object.assign(Object.create(store) as EventStore, {
      append: async (...given: Parameters<EventStore['append']>) => {
        appends.count += 1;
        const failure = left.shift();
        if (failure === undefined || isStored) await store.append(...given);
        if (failure !== undefined) throw failure;
        return store.append(...given); // a retry with the same ids succeeds as the append did
      },
      read: (...given: Parameters<EventStore['read']>) => store.read(...given),
    });
    return { store, failingStore, appends };
  };
  const lostAnswers = (count: number): readonly OutcomeUnknown[] =>
    Array.from({ length: count }, (_, index) => new OutcomeUnknown(`lost ${index + 1}`));

  it.each([true, false])('opens after two lost answers, with the append stored: %s', async (isStored) => {
    const { store, failingStore, appends } = failing(lostAnswers(2), isStored);
    expect((await open(failingStore)).next()).toBe('00000000-0000-0000-0000-000000000001');
    expect([appends.count, await blocks(store)]).toStrictEqual([3, 1]);
  });

  it('throws OutcomeUnknown if the third answer is lost too, and succeeds on the next attempt to open', async () => {
    const { failingStore, appends } = failing(lostAnswers(3));
    await expect(open(failingStore)).rejects.toStrictEqual(new OutcomeUnknown('lost 3'));
    expect(appends.count).toBe(3);
    expect((await open(failingStore)).next()).toBe('00000000-0000-0000-0000-000000000001');
  });

  it.each([new StoreUnavailable('away'), new Error('a fault of ours')])('does not retry a reservation after %s', async (failure) => {
    const { failingStore, appends } = failing([failure]);
    await expect(open(failingStore)).rejects.toBe(failure);
    expect(appends.count).toBe(1);
  });

  it('throws StoreUnavailable after losing a hundred blocks to other processes', async () => {
    const store = new MemoryEventStore(clock);
    let rounds = 0;
    const contended = Object.assign(Object.create(store) as EventStore, {
      append: () => {
        rounds += 1;
        return Promise.resolve({ kind: 'conflict', actual: 'no_stream' });
      },
    });
    await expect(open(contended)).rejects.toStrictEqual(new StoreUnavailable('no block of serial-blocks in 100 rounds'));
    expect(rounds).toBe(100);
  });

  it('throws once the last block is used up', async () => {
    const store = new MemoryEventStore(clock);
    const last = 2n ** 32n - 1n;
    const nearlyFull = Object.assign(Object.create(store) as EventStore, {
      append: (stream: StreamName, expected: 'no_stream' | Revision) =>
        Promise.resolve(
          expected === last - 1n ? { kind: 'appended', revision: last, position: '1' } : { kind: 'conflict', actual: last - 1n },
        ),
      read: async function* (stream: StreamName) {
        const reserved = { first: (last - 1n) * BigInt(SERIAL_BLOCK_SIZE), count: SERIAL_BLOCK_SIZE, holder: 'boot-0' };
        const [event] = serialCodec.encode([{ type: 'BlockReserved', data: reserved }], stream, 'no_stream', {
          correlation: 'boot-0',
          causation: 'boot-0',
          actor: 'test',
          merchant: '',
          commandId: 'boot-0',
          recordedAt: clock.now(),
        });
        yield { ...event, stream, revision: last - 1n, position: '1', createdMs: 0 };
      },
    });
    const serials = await open(nearlyFull);
    const given = Array.from({ length: SERIAL_BLOCK_SIZE }, () => serials.next());
    expect(given.at(-1)).toBe('00000000-0000-0000-0000-ffffffffffff');
    await expect(async () => serials.next()).rejects.toThrow(new Error('the serial numbers are exhausted'));
  });
});
