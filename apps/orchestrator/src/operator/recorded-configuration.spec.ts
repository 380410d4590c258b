import { configurationRecordCodec, configurationStream } from '@app/investigation/record';
import { StoreUnavailable, type EventStore } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { systemIds } from '@app/kernel';
import { settle, VirtualClock } from '@app/testing';
import { RecordedConfiguration } from './recorded-configuration';

const world = () => {
  const clock = new VirtualClock();
  const log = new MemoryEventStore(clock);
  const faults = { isAway: true };
  const store = {
    append: (...given: Parameters<EventStore['append']>) =>
      faults.isAway ? Promise.reject(new StoreUnavailable('away')) : log.append(...given),
    read: log.read.bind(log),
  } as unknown as EventStore;
  const unwritten: unknown[] = [];
  const ring = { keys: ['kek:1'], changed: (): void => undefined };
  const onRecord = new RecordedConfiguration({
    store,
    clock,
    ids: systemIds,
    bootId: 'boot',
    copy: () => '{"a":1}',
    keys: () => ring.keys,
    onKeysChanged: (listener) => {
      ring.changed = listener;
    },
    scheduler: clock,
    onUnwritten: (error) => unwritten.push(error),
  });
  const stored = async () => {
    await settle();
    const events = [];
    for await (const event of log.read(configurationStream())) events.push(configurationRecordCodec.decode(event).data);
    return events;
  };
  const takes = (...keys: string[]): void => {
    ring.keys = keys;
    ring.changed();
  };
  return { clock, faults, onRecord, stored, takes, unwritten };
};

describe('the configuration of a process', () => {
  it('is recorded after the start', async () => {
    const { clock, faults, onRecord, stored } = world();
    faults.isAway = false;
    await onRecord.onApplicationBootstrap();
    expect(await stored()).toMatchObject([{ copy: ['{"a":1}'], keys: ['kek:1'] }]);
    expect(clock.pending).toBe(0);
  });

  it('is recorded later if the store is unavailable at the start, and the start succeeds', async () => {
    const { clock, faults, onRecord, stored, unwritten } = world();
    await onRecord.onApplicationBootstrap();
    expect([unwritten.length, await stored()]).toStrictEqual([1, []]);
    await clock.advance(5_000);
    await settle();
    expect(unwritten).toHaveLength(2);
    faults.isAway = false;
    await clock.advance(5_000);
    expect(await stored()).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('is recorded again after a change of the vault keys, even if the store was unavailable at that time', async () => {
    const { clock, faults, onRecord, stored, takes } = world();
    faults.isAway = false;
    await onRecord.onApplicationBootstrap();
    takes('kek:1', 'kek:2');
    faults.isAway = true;
    await settle();
    takes('kek:1', 'kek:2', 'kek:3');
    await settle();
    faults.isAway = false;
    await clock.advance(5_000);
    const keys = (await stored()).map((one) => one.keys.length);
    expect([keys.at(0), keys.at(-1), clock.pending]).toStrictEqual([1, 3, 0]);
    takes('kek:1', 'kek:2', 'kek:3');
    expect(await stored()).toHaveLength(keys.length);
    onRecord.onApplicationShutdown();
    takes('kek:4');
    expect(await stored()).toHaveLength(keys.length);
  });

  it('is not retried after shutdown', async () => {
    const { clock, onRecord } = world();
    await onRecord.onApplicationBootstrap();
    onRecord.onApplicationShutdown();
    expect(clock.pending).toBe(0);
  });
});
