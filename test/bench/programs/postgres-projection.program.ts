import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Client } from 'pg';
import type { OrderId, MerchantLogin } from '@app/kernel';
import type { ReadModelAddress } from '@app/projections';
import type { StoredEvent } from '@app/event-store';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { median } from '../harness/median';
import { answerQuestions } from '../harness/program';
import type { Timed } from '../load/appends';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { Secret, systemClock: clock, systemScheduler: scheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { closeDatabase, inTransaction, openDatabase } = built<typeof import('@app/postgres')>('libs/postgres/index.js');
const { openReadModel, openReadModelReader } = built<typeof import('@app/projections')>('libs/projections/index.js');
const { decodeAny } = built<typeof import('@app/order-queries')>('libs/order-queries/event-codecs.js');
const { orderPartitionKey } = built<typeof import('@app/order-queries')>('libs/order-queries/partition-key.js');
const { openWorkDefinitions } = built<typeof import('@app/order-queries')>('libs/order-queries/open-work.js');

/** A path, or the address of a PostgreSQL database. */
export type Place = { readonly path: string } | { readonly url: string };

interface Source {
  readonly dataDir: string;
  /** The folder of the log that the model is built from before it is fed. */
  readonly emptyDir: string;
  readonly place: Place;
  /** All streams where it is absent. */
  readonly partition?: { readonly number: number; readonly of: number };
}

export type PostgresProjection =
  | ({ readonly kind: 'project' } & Source)
  /** Reads the log and takes the partition; the next question projects it. */
  | ({ readonly kind: 'prepare' } & Source)
  | { readonly kind: 'go' }
  | ({ readonly kind: 'insert' } & Source & { readonly place: { readonly url: string } })
  | { readonly kind: 'status'; readonly place: Place; readonly orderIds: readonly string[]; readonly asked: number };

export interface Asked extends Timed {
  /** The median of single requests, one at a time. */
  readonly medianMs: number;
}

/** As many events as a subscription that catches up hands over together. */
const BATCH_EVENTS = 500;
const ASKED_AT_ONCE = 16;
/** Orders between their acceptance and their callback: a batch holds one step of each. */
const UNDER_WAY = 512;

const placeOf = (place: Place): ReadModelAddress => ('path' in place ? place : { url: new Secret(place.url), scheduler });

const eventsOf = async (dataDir: string, categories: readonly string[]): Promise<readonly StoredEvent[]> => {
  const log = EmbeddedEventStore.openReader({ path: join(dataDir, 'events.sqlite'), scheduler });
  const events: StoredEvent[] = [];
  const subscription = log.subscribe(categories, 'start');
  for await (const item of subscription) {
    if (item.kind === 'caught-up') break;
    if (item.kind === 'event') events.push(item.event);
  }
  await subscription.cancel();
  await log.close();
  return events;
};

/** The steps of an order whose events come together: accepted; its attempt started; answered and final; its callback delivered. */
const STEP_ENDS: ReadonlySet<string> = new Set(['OrderAccepted', 'AttemptStarted', 'OrderApproved', 'CallbackDelivered']);

/** As a service under load writes its log: many orders under way, so that the steps of one lie far apart. */
const interleaved = (events: readonly StoredEvent[]): readonly StoredEvent[] => {
  const steps: StoredEvent[][][] = [];
  let stepNumber = 0;
  let step: StoredEvent[] = [];
  for (const event of events) {
    if (event.type === 'OrderAccepted') stepNumber = 0;
    step.push(event);
    if (!STEP_ENDS.has(event.type)) continue;
    (steps[stepNumber] ??= []).push(step);
    stepNumber += 1;
    step = [];
  }
  const mixed: StoredEvent[] = [];
  const orders = steps[0]?.length ?? 0;
  for (let wave = 0; wave < orders; wave += UNDER_WAY) {
    for (const ofStep of steps) mixed.push(...ofStep.slice(wave, wave + UNDER_WAY).flat());
  }
  // The positions in the log stay, and their events change.
  return mixed.map((event, index) => ({ ...event, position: events[index]?.position ?? event.position }));
};

/** Rows that a projection wrote into one table in one batch. */
interface Written {
  readonly table: string;
  readonly columns: string;
  readonly rows: readonly (readonly unknown[])[];
}

const UPSERT = /^insert into "(\w+_g\d+(?:_list)?)" \(([^)]+)\) select \* from \(values/;
/** A table of keys alone takes those of a batch as one list. */
const INSERTED_KEYS = /^insert into "(\w+_g\d+)" \(("\w+")\) select given\.key from unnest/;

/** Records the statements that are sent to PostgreSQL meanwhile, by transaction. */
const recorded = async (work: () => Promise<void>): Promise<readonly (readonly Written[])[]> => {
  const transactions: Written[][] = [[]];
  const query = Client.prototype.query as (...question: unknown[]) => unknown;
  const spy = function (this: Client, ...question: unknown[]): unknown {
    const [asked] = question as [string | { readonly text: string; readonly values?: readonly unknown[] }];
    const text = typeof asked === 'string' ? asked : asked.text;
    const values = typeof asked === 'string' ? [] : (asked.values ?? []);
    const [, keyed, key] = INSERTED_KEYS.exec(text) ?? [];
    const [, table, columns] = UPSERT.exec(text) ?? [];
    if (text === 'commit') transactions.push([]);
    else if (keyed !== undefined && key !== undefined) {
      const [keys] = values as readonly [readonly string[]];
      transactions.at(-1)?.push({ table: keyed, columns: key, rows: keys.map((one) => [one]) });
    } else if (table !== undefined && columns !== undefined) {
      const width = columns.split(',').length;
      const rows = Array.from({ length: values.length / width }, (_, row) => values.slice(row * width, (row + 1) * width));
      // A row without a key only fills the statement, and is left out.
      transactions.at(-1)?.push({ table, columns, rows: rows.filter(([key]) => key !== null) });
    }
    return query.apply(this, question);
  };
  Client.prototype.query = spy as typeof Client.prototype.query;
  try {
    await work();
  } finally {
    Client.prototype.query = query as typeof Client.prototype.query;
  }
  return transactions.filter((written) => written.length > 0);
};

/** Projects batch by batch as the service keeps up with its log: decoded, folded, rows and checkpoints in one transaction. */
const withProjection = async <Result>(
  { dataDir, emptyDir, place, partition }: Source,
  work: (projectAll: () => Promise<void>, orders: number) => Promise<Result>,
): Promise<Result> => {
  const log = await EmbeddedEventStore.open({ path: join(emptyDir, 'events.sqlite'), clock, scheduler });
  const model = await openReadModel({
    ...placeOf(place),
    log,
    decode: decodeAny,
    clock,
    openWork: openWorkDefinitions,
    partition,
    partitionKey: orderPartitionKey,
  });
  const events = interleaved(await eventsOf(dataDir, model.categories));
  await model.position();
  const projectAll = async (): Promise<void> => {
    // As a subscription does, which passes over those of other partitions.
    const own = events.filter((event) => model.takes(event));
    for (let from = 0; from < own.length; from += BATCH_EVENTS) {
      const batch = own.slice(from, from + BATCH_EVENTS);
      const last = batch.at(-1);
      if (last !== undefined) await model.apply(batch, last.position);
    }
  };
  const result = await work(projectAll, events.filter(({ type }) => type === 'OrderAccepted').length);
  const parked = await model.parkedStreams(1);
  await model.close();
  await log.close();
  if (parked.length > 0) throw new Error('streams were parked');
  return result;
};

const project = (source: Source): Promise<Timed> =>
  withProjection(source, async (projectAll, count) => {
    const startedAt = performance.now();
    await projectAll();
    return { count, elapsedMs: performance.now() - startedAt };
  });

/** What a prepared partition waits for, and what it tells at its end. */
let prepared: { readonly go: () => void; readonly done: Promise<Timed> } | undefined;

const prepare = (source: Source): Promise<void> =>
  new Promise((ready, failed) => {
    let go = (): void => undefined;
    const told = new Promise<void>((resolve) => (go = resolve));
    const done = withProjection(source, async (projectAll, count) => {
      ready();
      await told;
      const startedAt = performance.now();
      await projectAll();
      return { count, elapsedMs: performance.now() - startedAt };
    });
    done.catch(failed);
    prepared = { go, done };
  });

const goOn = (): Promise<Timed> => {
  if (prepared === undefined) throw new Error('nothing was prepared');
  prepared.go();
  return prepared.done;
};

/**
 * Writes the very rows of a projection, each of their versions, into tables with the same columns and indexes (which are not unique here): for each
 * batch one multi-row statement a table, in one transaction, and nothing else.
 */
const insert = async (source: Source & { readonly place: { readonly url: string } }): Promise<Timed> => {
  const { batches, count } = await withProjection(source, async (projectAll, orders) => ({
    batches: await recorded(projectAll),
    count: orders,
  }));
  const db = await openDatabase(source.place.url, { name: 'bench', connectionsMax: 1, durability: 'rebuildable' });
  const aloneOf = (table: string): string => `alone_${table}`;
  for (const table of new Set(batches.flat().map((written) => written.table))) {
    await db.pool.query(`create table ${aloneOf(table)} (like ${table})`);
    const { rows } = await db.pool.query<{ columns: string }>(
      `select (regexp_match(indexdef, '\\((.*)\\)'))[1] as columns from pg_indexes where tablename = $1`,
      [table],
    );
    for (const { columns } of rows) await db.pool.query(`create index on ${aloneOf(table)} (${columns})`);
  }
  const prepared = batches.map((batch) =>
    batch.map(({ table, columns, rows }) => {
      const width = columns.split(',').length;
      const line = (row: number): string => `(${Array.from({ length: width }, (_, column) => `$${row * width + column + 1}`).join()})`;
      const text = `insert into ${aloneOf(table)} (${columns}) values ${rows.map((_, row) => line(row)).join()}`;
      return { name: `${table} ${rows.length}`, text, values: rows.flat() };
    }),
  );
  const startedAt = performance.now();
  for (const batch of prepared) {
    await inTransaction(db, async (client) => {
      for (const statement of batch) await client.query(statement);
    });
  }
  const elapsedMs = performance.now() - startedAt;
  await closeDatabase(db);
  return { count, elapsedMs };
};

/** The queries of order status to the read model. */
const status = async (place: Place, orderIds: readonly string[], asked: number): Promise<Asked> => {
  const reader = await openReadModelReader(placeOf(place));
  const ask = async (number: number): Promise<void> => {
    const orderId = orderIds[number % orderIds.length] as OrderId;
    if ((await reader.orders.byOrderId(ACME.login as MerchantLogin, orderId)) === undefined) throw new Error('an order is missing');
  };
  for (let number = 0; number < orderIds.length; number++) await ask(number);
  const times: number[] = [];
  for (let number = 0; number < asked; number++) {
    const startedAt = performance.now();
    await ask(number);
    times.push(performance.now() - startedAt);
  }
  let next = 0;
  const askOn = async (): Promise<void> => {
    for (let number = next++; number < asked; number = next++) await ask(number);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, askOn));
  const elapsedMs = performance.now() - startedAt;
  await reader.close();
  return { count: asked, elapsedMs, medianMs: median(times) };
};

answerQuestions((question: PostgresProjection): Promise<Timed | void> => {
  switch (question.kind) {
    case 'project':
      return project(question);
    case 'prepare':
      return prepare(question);
    case 'go':
      return goOn();
    case 'insert':
      return insert(question);
    case 'status':
      return status(question.place, question.orderIds, question.asked);
  }
});
