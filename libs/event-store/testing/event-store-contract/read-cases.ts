import { EndableDeadline } from '@app/kernel';
import { APPEND_EVENTS_MAX, StoreUnavailable, type Position, type StoredEvent } from '../../core/port';
import { collect, newEvents } from '../new-events';
import { revision, appendedAt, shown, named, until, type ContractWorld } from './contract-world';

export const readCases = (world: ContractWorld): void => {
  const { newStream, read, isShared } = world;

  describe('reads and positions', () => {
    it('reads nothing from a missing stream, and from any revision of an existing one', async () => {
      const stream = newStream();
      await expect(read(stream)).resolves.toStrictEqual([]);
      await world.store.append(stream, 'no_stream', newEvents('a', 'b', 'c'));
      await expect(read(stream, revision(1))).resolves.toStrictEqual(named('b@1', 'c@2'));
      await expect(read(stream, revision(3))).resolves.toStrictEqual([]);
      await expect(read(stream, revision(1_000))).resolves.toStrictEqual([]);
    });

    it('reads a long stream to its end, and allows the reader to stop early', async () => {
      const stream = newStream();
      const total = 1_234;
      for (let from = 0; from < total; from += APPEND_EVENTS_MAX) {
        const names = Array.from({ length: Math.min(APPEND_EVENTS_MAX, total - from) }, (_, index) => `long-${from + index}`);
        await world.store.append(stream, from === 0 ? 'no_stream' : revision(from - 1), newEvents(names[0] ?? '', ...names.slice(1)));
      }
      const stored = await collect(world.store.read(stream));
      expect(stored.map(({ revision: at }) => Number(at))).toStrictEqual(Array.from({ length: total }, (_, index) => index));
      for await (const event of world.store.read(stream)) if (event.revision === 5n) break;
      await expect(world.store.append(stream, revision(total - 1), newEvents('long-last'))).resolves.toStrictEqual(appendedAt(total));
    });

    it('17: orders the events of a stream by position as by revision (position-multi-event)', async () => {
      const [left, right] = [newStream(), newStream()];
      await world.store.append(left, 'no_stream', newEvents('a', 'b'));
      await world.store.append(right, 'no_stream', newEvents('c'));
      await world.store.append(left, revision(1), newEvents('d', 'e', 'f'));
      const positions = (await collect(world.store.read(left))).map(({ position }) => position);
      for (const [index, position] of positions.slice(1).entries()) {
        expect(world.store.comparePositions(positions[index] as Position, position)).toBeLessThan(0);
        expect(world.store.comparePositions(position, positions[index] as Position)).toBeGreaterThan(0);
      }
      const beforeHead = world.store.comparePositions(positions.at(-1) as Position, await world.store.head());
      if (isShared) expect(beforeHead).toBeLessThanOrEqual(0);
      else expect(beforeHead).toBe(0);
    });
  });
};

/** More than the concurrent calls of any store, so that some must wait. */
const READS_AT_ONCE = 100;

export const deadlineCases = (world: ContractWorld): void => {
  const { newStream, read, options } = world;

  describe('read with a deadline', () => {
    it('throws if the deadline has passed before it begins, and does not affect the next read', async () => {
      const stream = newStream();
      await world.store.append(stream, 'no_stream', newEvents('a'));
      const deadline = new EndableDeadline();
      await expect(collect(world.store.read(stream, undefined, deadline))).resolves.toHaveLength(1);
      await expect(world.store.head(deadline)).resolves.toBeDefined();
      deadline.end();
      await expect(collect(world.store.read(stream, undefined, deadline))).rejects.toThrow(StoreUnavailable);
      await expect(world.store.head(deadline)).rejects.toThrow(StoreUnavailable);
      await expect(read(stream)).resolves.toStrictEqual(named('a@0'));
    });

    it('throws between two events once the deadline passes, and yields no further events', async () => {
      const stream = newStream();
      await world.store.append(stream, 'no_stream', newEvents('a', 'b', 'c'));
      const deadline = new EndableDeadline();
      const seen: StoredEvent[] = [];
      const reading = async (): Promise<void> => {
        for await (const event of world.store.read(stream, undefined, deadline)) {
          seen.push(event);
          if (seen.length === 2) deadline.end();
        }
      };
      await expect(reading()).rejects.toThrow(StoreUnavailable);
      expect(shown(seen)).toStrictEqual(named('a@0', 'b@1'));
      await expect(read(stream)).resolves.toStrictEqual(named('a@0', 'b@1', 'c@2'));
    });

    const { openSilent } = options;
    if (openSilent !== undefined) {
      it('ends at the deadline while the server is silent, and frees its calls', async () => {
        const silent = await openSilent();
        try {
          const stream = newStream();
          await silent.store.append(stream, 'no_stream', newEvents('a'));
          const deadline = new EndableDeadline();
          const asked = Array.from({ length: READS_AT_ONCE }, () => collect(silent.store.read(stream, undefined, deadline)));
          const ended = Promise.allSettled([...asked, silent.store.head(deadline)]);
          await until(() => silent.openCalls() > 1);
          deadline.end();
          const reasons = (await ended).map((one) => (one.status === 'rejected' ? one.reason : one.value) as unknown);
          expect(reasons.filter((reason) => !(reason instanceof StoreUnavailable))).toStrictEqual([]);
          await until(() => silent.openCalls() === 0);
          silent.speak();
          const again = Array.from({ length: READS_AT_ONCE }, () => collect(silent.store.read(stream)));
          for (const events of await Promise.all(again)) expect(shown(events)).toStrictEqual(named('a@0'));
        } finally {
          await silent.dispose();
        }
      }, 60_000);
    }
  });
};
