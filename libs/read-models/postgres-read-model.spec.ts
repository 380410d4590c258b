import fc from 'fast-check';
import { ReactorRunner, StoreUnavailable, SubscriptionRunner, type WorkItem } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { Secret, addMs } from '@app/kernel';
import { DatabaseUnusable } from '@app/databases/postgres';
import { createTestDatabase, runOnce, startPostgres, type Postgres, type TestDatabase } from '@app/databases/testing';
import { VirtualClock, eventually, wholeNumber } from '@app/testing';
import { ORDER_STATUS } from './order-status/order-status.table';
import { openReadModel, type LocalReadModel } from './local-read-model';
import { openReadModelReader } from './read-model-reader';
import { postgresReadModelDatabase } from './engine/database/open-database';
import { paymentStory, recurringStory } from './testing/order-life';
import { ACME, START, orderIdOf } from './testing/sample-orders';
import { postgresFixture } from './testing/postgres-fixture';
import { PROJECTING, readModelContract } from './testing/read-model.contract';
import { PROJECTIONS, storedRows, type StoredRows } from './testing/stored-rows';
import { decode, orderWork, wholeLog, writeStories } from './testing/written-log';

const APPROVED = [0, 0, 0, 1];
const OPEN = [0, 2];
const OWNER_TRIES_MS = 1_000;

let server: Postgres;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

readModelContract('PostgreSQL', () => postgresFixture(server), { cases: PROJECTING });

describe('PostgreSQL row estimates of a new generation', () => {
  const reckoned = (place: TestDatabase): Promise<readonly { name: string; rows: number }[]> =>
    runOnce(
      place.url,
      "select relname as name, reltuples::float8 as rows from pg_class where relkind = 'r' and relname ~ '^order_(status|search)_g1' order by relname",
    );
  const ORDERS = 3;

  it('are available as soon as a rebuild is done, without waiting for autovacuum', async () => {
    const clock = new VirtualClock(START);
    const log = new MemoryEventStore(clock);
    const place = await createTestDatabase(server);
    await writeStories(
      log,
      Array.from({ length: ORDERS }, (_, at) => paymentStory(at + 1, APPROVED)),
    );
    const model = await openReadModel({ url: new Secret(place.url), scheduler: clock, log, decode, clock });
    try {
      await model.rebuild('all');
      const known = await reckoned(place);
      expect(known.filter(({ name }) => name.startsWith('order_status'))).toStrictEqual([
        { name: 'order_status_g1', rows: ORDERS },
        { name: 'order_status_g1_list', rows: ORDERS },
      ]);
      expect(known.find(({ name }) => name.startsWith('order_search'))?.rows).toBeGreaterThan(ORDERS);
    } finally {
      await model.close();
      await log.close();
      await place.drop();
    }
  });
});

describe('several processes on one PostgreSQL database', () => {
  interface Process {
    readonly model: LocalReadModel;
    readonly runner: SubscriptionRunner;
    readonly waited: (Error | undefined)[];
  }

  let clock: VirtualClock;
  let place: TestDatabase;
  let log: MemoryEventStore;
  const processes: Process[] = [];
  let number = 0;

  const whereabouts = () => ({ url: new Secret(place.url), scheduler: clock });

  const begin = async (): Promise<Process> => {
    const waited: (Error | undefined)[] = [];
    const settings = { log, decode, clock, openWork: [orderWork], onWaiting: (error: Error | undefined) => waited.push(error) };
    const model = await openReadModel({ ...whereabouts(), ...settings });
    const runner = new SubscriptionRunner({ store: log, categories: model.categories, projection: model, clock, scheduler: clock });
    const process = { model, runner, waited };
    processes.push(process);
    return process;
  };
  const end = async ({ model, runner }: Process): Promise<void> => {
    await runner.stop();
    await model.close();
  };
  const comes = (condition: () => boolean | Promise<boolean>, seen?: () => unknown): Promise<void> =>
    eventually(
      async () => {
        if (await condition()) return true;
        await clock.advance(OWNER_TRIES_MS / 4);
        return false;
      },
      { seen: () => [processes.map(({ runner }) => runner.health()), seen?.()] },
    );
  const isLive = ({ runner }: Process): boolean => runner.health().status === 'live';
  const knows = ({ model }: Process, number: number): Promise<boolean> =>
    model.orders.byOrderId(ACME, orderIdOf('p', number)).then((found) => found !== undefined);
  const owners = (): Promise<readonly { pid: number }[]> =>
    runOnce(
      place.url,
      "select pid from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())",
    );
  const kill = (pid: number | undefined): Promise<unknown> => runOnce(place.url, 'select pg_terminate_backend($1)', [pid]);
  const cutAllOff = (): Promise<unknown> =>
    runOnce(
      place.url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  const rows = async (): Promise<StoredRows> => {
    const database = await postgresReadModelDatabase(whereabouts());
    try {
      return await storedRows(database);
    } finally {
      await database.close();
    }
  };
  const expectWhole = async (): Promise<void> => {
    const stored = await rows();
    expect(stored.parked).toStrictEqual([]);
    const builder = await openReadModel({ ...whereabouts(), log, decode, clock, openWork: [orderWork] });
    await builder.rebuild('all');
    await builder.close();
    expect(await rows()).toStrictEqual(stored);
  };

  beforeEach(async () => {
    number = 0;
    clock = new VirtualClock(START);
    log = new MemoryEventStore(clock);
    place = await createTestDatabase(server);
  });
  afterEach(async () => {
    for (const process of processes.splice(0)) await end(process);
    await log.close();
    await place.drop();
  });

  it('start concurrently: one creates the tables and projects, and all answer queries', async () => {
    await writeStories(log, [paymentStory(1, APPROVED)]);
    const all = await Promise.all([begin(), begin(), begin(), begin()]);
    for (const { runner } of all) runner.start();
    await comes(async () => (await Promise.all(all.map((process) => knows(process, 1)))).every(Boolean));
    await comes(() => all.some(isLive));
    expect(all.filter(isLive)).toHaveLength(1);
    await comes(() => all.filter(({ waited }) => waited.length > 0).length === 3);
    expect(await owners()).toHaveLength(1);
    await expectWhole();
  });

  it('take over from a projector that stops', async () => {
    const first = await begin();
    first.runner.start();
    await first.runner.caughtUp();
    const second = await begin();
    second.runner.start();
    await comes(() => second.waited.length > 0);
    expect(second.runner.health()).toMatchObject({ status: 'waiting', behindSince: undefined });
    await writeStories(log, [paymentStory(1, OPEN)]);
    await comes(() => knows(second, 1));
    await first.runner.stop();
    await comes(() => isLive(second));
    await writeStories(log, [paymentStory(2, APPROVED)]);
    await comes(() => knows(second, 2));
    await expectWhole();
  });

  it('take over from a projector whose session was killed, which writes nothing until it is the owner again', async () => {
    const first = await begin();
    first.runner.start();
    await first.runner.caughtUp();
    await writeStories(log, [paymentStory(1, OPEN)]);
    await comes(() => knows(first, 1));
    const second = await begin();
    second.runner.start();
    await comes(() => second.waited.length > 0);

    const [owner] = await owners();
    await kill(owner?.pid);
    await comes(() => isLive(second));
    await writeStories(log, [paymentStory(2, OPEN), recurringStory(3, APPROVED)]);
    await comes(() => first.runner.health().status === 'waiting');
    await comes(() => knows(first, 2));
    await second.runner.reached(await log.head());
    const checkpoints = await runOnce<{ epoch: string }>(place.url, 'select epoch from checkpoints');
    expect(checkpoints.map(({ epoch }) => epoch)).toStrictEqual(PROJECTIONS.map(() => '2'));

    await second.runner.stop();
    await comes(() => isLive(first));
    await writeStories(log, [paymentStory(4, APPROVED)]);
    await comes(() => knows(first, 4));
    await expectWhole();
  });

  it('refuse the writes of a projector that has not yet noticed the loss of its session', async () => {
    const first = await openReadModel({ ...whereabouts(), log, decode, clock, openWork: [orderWork] });
    await first.position();
    await writeStories(log, [paymentStory(1, OPEN)]);
    // The next process claims before the first notices the end of its session.
    const database = await postgresReadModelDatabase(whereabouts());
    await database.registry.updateTable('fence').set({ epoch: 2 }).execute();
    await database.registry.updateTable('checkpoints').set({ epoch: 2 }).execute();
    const before = await storedRows(database);
    const events = await wholeLog(log, first.categories);
    const last = events.at(-1);
    if (last === undefined) throw new Error('no events');
    await expect(first.apply(events, last.position)).rejects.toThrow(
      new StoreUnavailable("another process projects: its epoch is 2, this one's 1"),
    );
    expect(await storedRows(database)).toStrictEqual(before);
    await database.close();
    await first.close();
  });

  it('recover after every connection was ended', async () => {
    const process = await begin();
    process.runner.start();
    await process.runner.caughtUp();
    for (const number of [1, 2, 3]) {
      await writeStories(log, [paymentStory(number, OPEN)]);
      await cutAllOff();
      await comes(() => knows(process, number).catch(() => false));
    }
    await expectWhole();
  });

  it(
    'apply every event once, under random kills, disconnects and stops',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom('kill the owner', 'cut all off', 'stop one', 'start one'), { minLength: 4, maxLength: 8 }),
          async (accidents) => {
            const running: Process[] = [];
            const start = async (): Promise<void> => {
              const process = await begin();
              process.runner.start();
              running.push(process);
            };
            const stop = async (process: Process | undefined): Promise<void> => {
              if (process === undefined) return;
              processes.splice(processes.indexOf(process), 1);
              await end(process);
            };
            await start();
            await start();
            const told = Array.from({ length: 3 * accidents.length }, () => number++);
            const writing = writeStories(
              log,
              told.map((story) => paymentStory(story, story % 2 === 0 ? APPROVED : OPEN)),
              told,
            );
            for (const accident of accidents) {
              await clock.advance(OWNER_TRIES_MS);
              if (accident === 'kill the owner') for (const { pid } of await owners()) await kill(pid);
              if (accident === 'cut all off') await cutAllOff();
              if (accident === 'stop one' && running.length > 1) await stop(running.shift());
              if (accident === 'start one') await start();
            }
            await writing;
            let known: unknown;
            const isWhole = async (): Promise<boolean> => {
              const states = (await running[0]?.model.health()) ?? [];
              known = states.map(({ projection, position }) => [projection, position]);
              const head = await log.head();
              return states.length > 0 && states.every(({ position }) => position === head);
            };
            const awayOrNot = (error: unknown): boolean => {
              known = String(error);
              return false;
            };
            await comes(
              () => isWhole().catch(awayOrNot),
              () => known,
            );
            for (const process of running) await stop(process);
            expect((await rows()).order_status).toHaveLength(number);
            await expectWhole();
          },
        ),
        { numRuns: wholeNumber('ACCIDENTS', 2), endOnFailure: true },
      ),
    120_000,
  );

  it('rebuild in parallel with the projector, which continues in the new generation', async () => {
    const owner = await begin();
    owner.runner.start();
    await owner.runner.caughtUp();
    await writeStories(log, [paymentStory(1, APPROVED), recurringStory(2, OPEN)]);
    await comes(() => knows(owner, 1));
    const builder = await begin();
    await builder.model.rebuild('all');
    expect(await owners()).toHaveLength(1);
    await writeStories(log, [paymentStory(3, OPEN)]);
    await comes(async () => (await knows(owner, 3)) && (await knows(builder, 3)));
    expect((await owner.model.health()).map(({ generation }) => generation)).toStrictEqual(PROJECTIONS.map(() => 2));
    await expectWhole();
  });

  it('share open work, run each item once, and take over the items of a dead process', async () => {
    const owner = await begin();
    const stories = Array.from({ length: 120 }, (_, number) => paymentStory(number, OPEN));
    await writeStories(log, stories);
    owner.runner.start();
    await owner.runner.caughtUp();
    await clock.advance(5_000);

    const [dead] = await (await begin()).model.openWork('orders').list({ limit: 1 });
    if (dead === undefined) throw new Error('nothing is due');
    const taken = await owner.model.openWork('orders').claim?.([dead], addMs(clock.now(), 15_000));
    expect(taken).toStrictEqual(new Set([dead.key]));

    const done: string[] = [];
    let postponed = 0;
    const workers = [await begin(), await begin(), await begin()].map(({ model }) => {
      const work = model.openWork('orders');
      const run = async (item: WorkItem): Promise<undefined> => {
        done.push(item.key);
        await work.postpone(item, addMs(clock.now(), 3_600_000));
        postponed++;
        return undefined;
      };
      const onError = (error: Error): void => {
        throw error;
      };
      return new ReactorRunner({ work, clock, scheduler: clock, run, onError, inFlightMax: 16, inFlightPerLaneMax: 16 });
    });
    for (const worker of workers) worker.start();
    // Store the item first: a pending claim would end with the virtual time.
    await eventually(() => postponed === 119);
    expect(done).toHaveLength(119);
    expect(new Set(done).size).toBe(119);
    expect(done).not.toContain(dead.key);
    await comes(() => done.length === 120);
    expect(done.at(-1)).toBe(dead.key);
    for (const worker of workers) expect(await worker.drain(1_000)).toBe(true);
    for (const worker of workers) worker.stop();
  });

  it('do not claim an item that was rescheduled since it was read', async () => {
    const { model } = await begin();
    await writeStories(log, [paymentStory(1, OPEN), paymentStory(2, OPEN)]);
    await model.build();
    const work = model.openWork('orders');
    const now = addMs(START, 5_000);
    const items = await work.list({ limit: 10 });
    const [first, second] = items;
    if (first === undefined || second === undefined) throw new Error('nothing is due');
    await work.postpone(first, addMs(now, 1));
    await expect(work.claim?.(items, addMs(now, 9))).resolves.toStrictEqual(new Set([second.key]));
    await expect(work.claim?.(items, addMs(now, 9))).resolves.toStrictEqual(new Set());
    await expect(work.list({ limit: 10 })).resolves.toMatchObject([
      { key: first.key, dueAt: addMs(now, 1) },
      { key: second.key, dueAt: addMs(now, 9) },
    ]);
  });

  it('query the projections without taking part in projecting', async () => {
    const { model } = await begin();
    await writeStories(log, [paymentStory(1, APPROVED)]);
    await model.build();
    const reader = await openReadModelReader(whereabouts());
    await expect(reader.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toMatchObject({ view: { status: 'approved' } });
    await expect(reader.checkpoint(ORDER_STATUS)).resolves.toBe(await log.head());
    await reader.close();
  });

  it('refuse to start on tables of a newer release', async () => {
    await begin();
    await runOnce(place.url, 'update schema_versions set version = 99');
    await expect(begin()).rejects.toThrow(
      new DatabaseUnusable('read_model: schema 99 is newer than this release knows (5); start the newer release'),
    );
  });
});
