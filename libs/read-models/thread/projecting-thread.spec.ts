import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailable, SubscriptionRunner } from '@app/event-store';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { systemClock, systemScheduler, type Instant } from '@app/kernel';
import { eventually } from '@app/testing';
import { sqliteReadModelDatabase } from '../engine/database/sqlite-database';
import { LocalReadModel } from '../local-read-model';
import type { ReadModel } from '../read-model';
import { paymentStory } from '../testing/order-life';
import type { ProjectingProgramData } from '../testing/projecting-program.worker';
import { ACME, orderIdOf } from '../testing/sample-orders';
import { PROJECTIONS, storedRows, type StoredRows } from '../testing/stored-rows';
import { decode, orderWork, writeStories } from '../testing/written-log';
import { openThreadedReadModel } from './projecting-thread';

const APPROVED = [0, 0, 0, 1];
const OPEN = [0, 2];
const LATER = 4_000_000_000_000 as Instant;

let folder: string;
let log: EmbeddedEventStore;
const broken: Error[] = [];
const models: ReadModel[] = [];

const at = (name: string): string => join(folder, name);

const open = async (more: Partial<ProjectingProgramData> = {}): Promise<ReadModel> => {
  const data: ProjectingProgramData = { log: at('events.sqlite'), readModel: at('read-model.sqlite'), isDying: false, ...more };
  const program = { file: join(__dirname, '..', 'testing', 'projecting-program.worker'), callerFile: __filename, data };
  const model = await openThreadedReadModel(data.readModel, {
    program,
    log,
    decode,
    clock: systemClock,
    openWork: [orderWork],
    onBroken: (error) => broken.push(error),
  });
  models.push(model);
  return model;
};

const rowsIn = async (name: string): Promise<StoredRows> => {
  const database = sqliteReadModelDatabase(at(name));
  try {
    return await storedRows(database);
  } finally {
    await database.close();
  }
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'projecting-thread-'));
  log = await EmbeddedEventStore.open({ path: at('events.sqlite'), clock: systemClock, scheduler: systemScheduler });
  broken.length = 0;
});
afterEach(async () => {
  for (const model of models.splice(0)) await model.close().catch(() => undefined);
  await log.close();
  rmSync(folder, { recursive: true });
});

describe('openThreadedReadModel', () => {
  it('projects the same rows as a single thread, and serves them as soon as a batch is applied', async () => {
    const model = await open();
    const runner = new SubscriptionRunner({
      store: log,
      categories: model.categories,
      projection: model,
      clock: systemClock,
      scheduler: systemScheduler,
    });
    runner.start();
    await runner.caughtUp();
    expect(model.hasFirstPartition).toBe(true);
    await writeStories(log, [paymentStory(1, APPROVED), paymentStory(2, OPEN)]);
    const head = await log.head();
    await eventually(async () => (await model.health()).every(({ position }) => position === head));
    await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toMatchObject({ view: { status: 'approved' } });
    const { lanes } = await model.openWork('orders').dueLanes(LATER, 10);
    expect(lanes).toHaveLength(1);
    await runner.stop();
    await model.close();
    // The file must be complete without its write-ahead log.
    expect(statSync(at('read-model.sqlite-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0);

    const alone = LocalReadModel.over(sqliteReadModelDatabase(at('alone.sqlite')), {
      log,
      decode,
      clock: systemClock,
      openWork: [orderWork],
    });
    await alone.build();
    await alone.close();
    expect(await rowsIn('read-model.sqlite')).toStrictEqual(await rowsIn('alone.sqlite'));
    expect(broken).toStrictEqual([]);
  });

  it('serves a generation that another process rebuilt', async () => {
    const model = await open();
    await writeStories(log, [paymentStory(1, APPROVED)]);
    await model.build();
    await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toBeDefined();
    const beside = LocalReadModel.over(sqliteReadModelDatabase(at('read-model.sqlite')), {
      log,
      decode,
      clock: systemClock,
      openWork: [orderWork],
    });
    await expect(beside.rebuild('all')).resolves.toMatchObject({ parkedStreams: 0 });
    await beside.close();
    await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toMatchObject({ view: { status: 'approved' } });
    expect((await model.health()).map(({ generation }) => generation)).toStrictEqual(PROJECTIONS.map(() => 2));
  });

  it('postpones due work in the thread, and reads the change at once', async () => {
    const model = await open();
    await writeStories(log, [paymentStory(1, OPEN)]);
    await model.build();
    const work = model.openWork('orders');
    const [lane] = (await work.dueLanes(LATER, 10)).lanes;
    const [item] = await work.firstOf([{ lane: lane?.lane ?? '' }], 10);
    if (item === undefined) throw new Error('nothing is due');
    await work.postpone(item, LATER);
    await expect(work.firstOf([item], 10)).resolves.toStrictEqual([{ ...item, dueAt: LATER }]);
  });

  it('fails with a one-line error if the file is not a database', async () => {
    writeFileSync(at('none.sqlite'), 'no database at all, but a text that is long enough to be looked at as one');
    await expect(open({ readModel: at('none.sqlite') })).rejects.toThrow(/none\.sqlite: file is not a database/);
  });

  it('reports that it is broken and rejects all calls once its thread has died', async () => {
    const model = await open({ isDying: true });
    await writeStories(log, [paymentStory(1, APPROVED)]);
    await model.build();
    const [asked, unasked] = [model.apply([], await log.head()), model.parked()];
    await expect(asked).rejects.toThrow(StoreUnavailable);
    await unasked.catch(() => undefined);
    await expect(model.position()).rejects.toThrow('the thread that projects has ended');
    expect(broken.map(({ message }) => message)).toStrictEqual(['the thread that projects has ended']);
    expect(model.hasFirstPartition).toBe(false);
    await model.close().catch(() => undefined);
    await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).rejects.toThrow();
  });

  it('can be closed twice, and rejects calls after that', async () => {
    const model = await open();
    await model.close();
    await expect(model.position()).rejects.toThrow(StoreUnavailable);
    expect(broken).toStrictEqual([]);
  });
});
