import { MemoryEventStore } from '@app/event-store/stores/memory';
import { VirtualClock } from '@app/testing';
import { LocalReadModel } from '../local-read-model';
import { MemoryDisk } from './memory-database';
import { paymentStory } from './order-life';
import { OPEN } from './read-model-contract/read-model-world';
import { START } from './sample-orders';
import { decode, orderWork, writeStories } from './written-log';

const built = async (disk: MemoryDisk, orders: number): Promise<LocalReadModel> => {
  const clock = new VirtualClock(START);
  const log = new MemoryEventStore(clock);
  await writeStories(
    log,
    Array.from({ length: orders }, (_, at) => paymentStory(at, OPEN)),
  );
  const model = LocalReadModel.over(disk.open(), { log, decode, clock, openWork: [orderWork] });
  await model.build();
  return model;
};

describe('MemoryDisk with injected damage', () => {
  let disk: MemoryDisk;
  beforeEach(async () => (disk = await MemoryDisk.create()));
  afterEach(() => disk.remove());

  it('has exactly the copied contents after it is restored from a copy', async () => {
    const empty = disk.copy();
    const model = await built(disk, 3);
    const [full, contents] = [disk.copy(), await model.contents()];
    disk.restore(empty);
    expect((await model.contents()).map(({ generation, rows }) => [generation, rows])).toStrictEqual(contents.map(() => [undefined, 0]));
    disk.restore(full);
    expect(await model.contents()).toStrictEqual(contents);
    expect(disk.copy()).toStrictEqual(full);
  });

  it('lists a damaged row until the row is rewritten', async () => {
    const model = await built(disk, 3);
    expect(disk.spoiltRows).toStrictEqual([]);
    const spoilt = disk.spoilRow((count) => count - 1);
    expect(spoilt?.stream).toMatch(/^payment-/);
    expect(disk.spoiltRows).toStrictEqual([spoilt]);
    await model.rebuild('all');
    expect(disk.spoiltRows).toStrictEqual([]);
  });

  it('has no row to damage if nothing was projected', () => {
    expect(disk.spoilRow(() => 0)).toBeUndefined();
  });

  it('removes one stream from every table', async () => {
    const model = await built(disk, 3);
    const before = await model.contents();
    const { stream = '' } = disk.spoilRow(() => 0) ?? {};
    disk.forgetStream(stream);
    expect(disk.copy().tables.flatMap(({ rows }) => rows.filter((row) => JSON.stringify(row).includes(stream)))).toStrictEqual([]);
    const after = await model.contents();
    expect(after.every(({ rows }, at) => rows < (before[at]?.rows ?? 0) || before[at]?.rows === 0)).toBe(true);
  });
});
