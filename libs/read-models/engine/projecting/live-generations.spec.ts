import { MemoryEventStore } from '@app/event-store/stores/memory';
import { VirtualClock } from '@app/testing';
import { LocalReadModel } from '../../local-read-model';
import { MemoryDisk } from '../../testing/memory-database';
import { START } from '../../testing/sample-orders';
import { decode, orderWork } from '../../testing/written-log';
import { Mutex, LiveGenerations } from './live-generations';
import { WHOLE } from './partitions';

describe('LiveGenerations', () => {
  const clock = new VirtualClock(START);
  const log = new MemoryEventStore(clock);
  let disk: MemoryDisk;
  beforeEach(async () => (disk = await MemoryDisk.create()));
  afterEach(() => disk.remove());

  it('refuses a transaction in a process that has not claimed or has resigned ownership', async () => {
    const context = { database: disk.open(), log, decode, clock, partition: WHOLE, mutex: new Mutex(), onCorruptRow: () => undefined };
    const live = new LiveGenerations(context, []);
    const work = jest.fn();
    await expect(live.transactAsOwner(work)).rejects.toThrow('this process does not project any more');
    await live.claim();
    live.resign();
    await expect(live.transactAsOwner(work)).rejects.toThrow('this process does not project any more');
    expect(work).not.toHaveBeenCalled();
  });

  it('fails if a serving generation has no checkpoint', async () => {
    const model = LocalReadModel.over(disk.open(), { log, decode, clock, openWork: [orderWork] });
    await model.build();
    await disk.open().writes.deleteFrom('checkpoints').where('projection', '=', 'order-search').execute();
    await expect(model.position()).rejects.toThrow('cannot be written');
  });
});
