import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemScheduler } from '@app/kernel';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { SubscriptionRunner } from '@app/event-store';
import { VirtualClock, eventually } from '@app/testing';
import type { ReadModelDatabase } from './engine/database/database';
import { foldOnto, type Folded } from './engine/folded-table';
import { logEventOf } from './engine/log-event';
import { foldOrderStatus, type OrderEvent } from './order-status/order-status.fold';
import type { OrderStatusView } from './order-status/order-status.view';
import { openReadModel, LocalReadModel } from './local-read-model';
import { mortal } from './testing/dying-database';
import { cardReferenceStory, paymentStory, recurringStory, type Story } from './testing/order-life';
import { ACME, orderIdOf } from './testing/sample-orders';
import { readModelContract } from './testing/read-model.contract';
import { PROJECTIONS, storedRows, type StoredRows } from './testing/stored-rows';
import { decode, orderWork, wholeLog, writeStories } from './testing/written-log';
import { sqliteFixture } from './testing/sqlite-fixture';

readModelContract('SQLite', sqliteFixture);

const clock = new VirtualClock();

const inDatabase = async <Result>(work: (database: ReadModelDatabase) => Promise<Result>): Promise<Result> => {
  const place = await sqliteFixture();
  const database = await place.open();
  try {
    return await work(database);
  } finally {
    await database.close();
    await place.remove();
  }
};

const stories: fc.Arbitrary<readonly Story[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('payment', 'recurring', 'reference'),
      choices: fc.array(fc.nat(5), { maxLength: 12 }),
      isCascade: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((lives) =>
    lives.map(({ kind, choices, isCascade }, number): Story => {
      const gates = isCascade ? (['sim-a', 'sim-b'] as const) : (['sim-a'] as const);
      if (kind === 'reference') return cardReferenceStory(number);
      return kind === 'payment' ? paymentStory(number, choices, [...gates]) : recurringStory(number, choices, [...gates]);
    }),
  );

describe('read model rows', () => {
  it(
    'equal the projection of each stream, for any batch sizes and any crash',
    () =>
      fc.assert(
        fc.asyncProperty(
          stories,
          fc.array(fc.nat(7), { minLength: 1, maxLength: 20 }),
          fc.array(fc.record({ size: fc.integer({ min: 1, max: 9 }), diesAfter: fc.option(fc.nat(12)) }), { minLength: 1, maxLength: 6 }),
          async (told, interleaving, cuts) => {
            const log = new MemoryEventStore(clock);
            const settings = { log, decode, clock, openWork: [orderWork] };
            const histories = await inDatabase(async (inCuts) =>
              inDatabase(async (atOnce) => {
                for (const database of [inCuts, atOnce]) await LocalReadModel.over(database, settings).build();
                await writeStories(log, told, interleaving);
                const events = await wholeLog(log, ['payment', 'recurring', 'cardReference']);
                const last = events.at(-1);
                if (last !== undefined) await LocalReadModel.over(atOnce, settings).apply(events, last.position);

                let from = 0;
                for (let turn = 0; from < events.length; turn++) {
                  const { size, diesAfter } = cuts[turn % cuts.length] ?? { size: 1, diesAfter: null };
                  const batch = events.slice(from, from + size);
                  const upTo = batch.at(-1)?.position;
                  if (upTo === undefined) break;
                  if (diesAfter !== null) {
                    const process = mortal(inCuts);
                    const dying = LocalReadModel.over(process.database, settings);
                    process.dieAfter(diesAfter);
                    await dying.apply(batch, upTo).catch(() => undefined);
                  }
                  await LocalReadModel.over(inCuts, settings).apply(batch, upTo);
                  from += size;
                }
                const rows: StoredRows[] = [await storedRows(inCuts), await storedRows(atOnce)];
                await LocalReadModel.over(inCuts, settings).rebuild('all');
                rows.push(await storedRows(inCuts));
                return rows;
              }),
            );
            const [first, ...others] = histories;
            for (const other of others) expect(other).toStrictEqual(first);

            const views = new Map<string, string>();
            for (const { stream } of told.filter(({ events }) => events[0]?.type === 'OrderAccepted')) {
              let folded: Folded<OrderStatusView> | undefined;
              for await (const stored of log.read(stream)) {
                folded = foldOnto(foldOrderStatus, folded, logEventOf(stored, decode(stored) as OrderEvent));
              }
              views.set(stream, JSON.stringify(folded?.view));
            }
            const stored = first?.order_status.map((row) => row as { stream: string; view: string }) ?? [];
            expect(new Map(stored.map(({ stream, view }) => [stream, view]))).toEqual(views);
            expect(first?.parked).toStrictEqual([]);
          },
        ),
        { numRuns: 30 },
      ),
    60_000,
  );

  it(
    'contain open work for exactly the orders that are not final',
    () =>
      fc.assert(
        fc.asyncProperty(stories, async (told) => {
          const log = new MemoryEventStore(clock);
          await writeStories(log, told);
          const rows = await inDatabase(async (database) => {
            await LocalReadModel.over(database, { log, decode, clock, openWork: [orderWork] }).build();
            return storedRows(database);
          });
          const open = rows.order_status.filter((row) => row['final_at'] === null);
          expect(rows.open_work_orders.map(({ key }) => key)).toStrictEqual(open.map(({ stream }) => stream));
        }),
        { numRuns: 30 },
      ),
    60_000,
  );
});

describe('rebuild of many rows', () => {
  const lives = [
    [0, 0, 0, 0],
    [0, 1, 0, 1],
    [0, 2],
    [0, 4, 0],
  ];
  const many = (): readonly Story[] =>
    Array.from({ length: 400 }, (_, number) => {
      const choices = lives[number % lives.length] ?? [];
      return number % 2 === 0 ? paymentStory(number, choices) : recurringStory(number, choices);
    });

  it(
    'fails if the bulk writer fails, and the old generation keeps serving',
    () =>
      inDatabase(async (database) => {
        const log = new MemoryEventStore(clock);
        const isFull = (): Promise<never> => Promise.reject(new Error('the disk is full'));
        const failing: ReadModelDatabase = {
          ...database,
          bulkLoad: () => Promise.resolve({ write: () => undefined, drained: isFull, close: () => Promise.resolve() }),
        };
        await writeStories(log, many());
        await LocalReadModel.over(database, { log, decode, clock, openWork: [orderWork] }).build();
        const before = await storedRows(database);
        const model = LocalReadModel.over(failing, { log, decode, clock, openWork: [orderWork], gatheredRowsMax: 50 });
        await expect(model.rebuild('all')).rejects.toThrow('the disk is full');
        expect(await storedRows(database)).toStrictEqual(before);
        await expect(model.orders.byOrderId(ACME, orderIdOf('p', 0))).resolves.toMatchObject({ view: { status: 'approved' } });
      }),
    60_000,
  );
});

describe('read model behind a subscription', () => {
  it('is built, follows new events, and is rebuilt while new events arrive', async () => {
    const place = mkdtempSync(join(tmpdir(), 'read-model-'));
    const store = new MemoryEventStore(clock);
    const model = await openReadModel({ path: join(place, 'read-model.sqlite'), log: store, decode, clock, openWork: [orderWork] });
    await writeStories(store, [paymentStory(1, [0, 0, 0, 1])]);
    const runner = new SubscriptionRunner({ store, categories: model.categories, projection: model, clock, scheduler: systemScheduler });
    runner.start();
    await runner.caughtUp();
    await expect(model.orders.byOrderId(ACME, orderIdOf('p', 1))).resolves.toMatchObject({ view: { status: 'approved' } });

    const rebuilding = model.rebuild('all');
    await writeStories(store, [paymentStory(2, [0, 2]), recurringStory(3, [0, 0, 0])]);
    await rebuilding;
    await runner.reached(await store.head());
    await eventually(async () => (await model.orders.byOrderId(ACME, orderIdOf('r', 3)))?.view.status === 'approved');
    await expect(model.orders.byOrderId(ACME, orderIdOf('p', 2))).resolves.toMatchObject({ view: { status: 'unknown' } });
    const head = await store.head();
    expect((await model.health()).map(({ generation, position }) => [generation, position])).toStrictEqual(
      PROJECTIONS.map(() => [2, head]),
    );

    await runner.stop();
    await store.close();
    await model.close();
    rmSync(place, { recursive: true });
  });
});
