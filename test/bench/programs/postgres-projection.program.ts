import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { OrderId, MerchantLogin } from '@app/kernel';
import type { ReadModelPlace } from '@app/projections';
import type { StoredEvent } from '@app/event-store';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { median } from '../harness/median';
import { answerQuestions } from '../harness/program';
import type { Timed } from '../load/appends';

const { EmbeddedEventStore } = built<typeof import('@app/event-store/embedded')>('libs/event-store/embedded/index.js');
const { Secret, systemClock: clock, systemScheduler: scheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { closeDatabase, inTransaction, openDatabase } = built<typeof import('@app/postgres')>('libs/postgres/index.js');
const { openReadModel, openReadModelReader } = built<typeof import('@app/projections')>('libs/projections/index.js');
const { decodeAny } = built<typeof import('../../../apps/orchestrator/src/composition/event-codecs')>(
  'apps/orchestrator/src/composition/event-codecs.js',
);
const { openWorkDefinitions } = built<typeof import('../../../apps/orchestrator/src/composition/open-work')>(
  'apps/orchestrator/src/composition/open-work.js',
);

/** A path, or the address of a PostgreSQL database. */
export type Place = { readonly path: string } | { readonly url: string };

export type PostgresProjection =
  | { readonly kind: 'project'; readonly dataDir: string; readonly emptyDir: string; readonly place: Place }
  | { readonly kind: 'insert'; readonly url: string; readonly batches: number }
  | { readonly kind: 'status'; readonly place: Place; readonly orderIds: readonly string[]; readonly asked: number };

export interface Projected extends Timed {
  readonly batches: number;
}

export interface Asked extends Timed {
  /** Of one question, nobody else asking. */
  readonly medianMs: number;
}

/** As many as a subscription that catches up hands over together. */
const BATCH_EVENTS = 500;
const ASKED_AT_ONCE = 16;
/** Columns of the first table that the projection fills, and where the same rows go. */
const FROM = 'order_status_g1';
const TO = 'order_status_alone';

const placeOf = (place: Place): ReadModelPlace => ('path' in place ? place : { url: new Secret(place.url), scheduler });

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

/** Batch by batch as the service keeps up with its log: decoded, folded, rows and checkpoints in one transaction. */
const project = async (dataDir: string, emptyDir: string, place: Place): Promise<Projected> => {
  const log = await EmbeddedEventStore.open({ path: join(emptyDir, 'events.sqlite'), clock, scheduler });
  const model = await openReadModel({ ...placeOf(place), log, decode: decodeAny, clock, openWork: openWorkDefinitions });
  const events = await eventsOf(dataDir, model.categories);
  await model.position();
  let batches = 0;
  const startedAt = performance.now();
  for (let from = 0; from < events.length; from += BATCH_EVENTS) {
    const batch = events.slice(from, from + BATCH_EVENTS);
    const last = batch.at(-1);
    if (last !== undefined) await model.apply(batch, last.position);
    batches += 1;
  }
  const elapsedMs = performance.now() - startedAt;
  const parked = await model.parkedStreams(1);
  const orders = (await model.contents()).find(({ projection }) => projection === 'order-status')?.rows ?? 0;
  await model.close();
  await log.close();
  if (parked.length > 0) throw new Error('streams were parked');
  return { count: orders, elapsedMs, batches };
};

/** The rows that the projection left, into a table of the same columns and indexes: a statement and a transaction for those of each batch. */
const insert = async (url: string, batches: number): Promise<Timed> => {
  const db = await openDatabase(url, { name: 'bench', connectionsMax: 1, durability: 'rebuildable' });
  await db.pool.query(`drop table if exists ${TO}`);
  await db.pool.query(`create table ${TO} (like ${FROM} including all)`);
  const { rows, fields } = await db.pool.query<unknown[]>({ text: `select * from ${FROM} order by created_at`, rowMode: 'array' });
  const size = Math.ceil(rows.length / batches);
  const columns = fields.map(({ name }) => name);
  const textFor = (count: number): string => {
    const line = (row: number): string => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join()})`;
    return `insert into ${TO} (${columns.join()}) values ${Array.from({ length: count }, (_, row) => line(row)).join()}`;
  };
  const groups = Array.from({ length: batches }, (_, group) => rows.slice(group * size, (group + 1) * size)).filter(
    (group) => group.length > 0,
  );
  const texts = new Map(groups.map(({ length }) => [length, textFor(length)]));
  const startedAt = performance.now();
  for (const group of groups) {
    await inTransaction(db, async (client) => {
      await client.query({ name: `insert-${group.length}`, text: texts.get(group.length) ?? '', values: group.flat() });
    });
  }
  const elapsedMs = performance.now() - startedAt;
  await closeDatabase(db);
  return { count: rows.length, elapsedMs };
};

/** What order status asks of the read model. */
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

answerQuestions((question: PostgresProjection): Promise<Timed> => {
  switch (question.kind) {
    case 'project':
      return project(question.dataDir, question.emptyDir, question.place);
    case 'insert':
      return insert(question.url, question.batches);
    case 'status':
      return status(question.place, question.orderIds, question.asked);
  }
});
