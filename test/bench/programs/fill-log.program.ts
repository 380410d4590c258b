import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStore, Revision } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import type { Fill, Filled } from '../load/filled-log';
import { operatedOrder, operatorEvents, proposal, reconciliationCase, type OperatedOrder } from '../load/operated-log';
import { sealedCustomer, writtenOrder, type WrittenStream } from '../load/written-orders';

const { createKeyRing, loadKeyRing, openSqliteVault } = built<typeof import('@app/card-vault')>('libs/card-vault/index.js');
const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { addMs, systemClock, systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

const UNDER_WAY_MAX = 512;
const FIRST_AT = 1_767_225_600_000 as Instant;
const GAP_MS = 100;
const APPENDED_AT_ONCE = 100;
const OPERATOR_PROCESSES = 50;

const each = async (count: number, work: (number: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const run = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) await work(number);
  };
  await Promise.all(Array.from({ length: UNDER_WAY_MAX }, run));
};

const appendTo = async (store: EventStore, { stream, events }: WrittenStream): Promise<void> => {
  for (let from = 0; from < events.length; from += APPENDED_AT_ONCE) {
    const some = events.slice(from, from + APPENDED_AT_ONCE) as unknown as WrittenStream['events'];
    const expected = from === 0 ? 'no_stream' : (BigInt(from - 1) as Revision);
    if ((await store.append(stream, expected, some)).kind !== 'appended') throw new Error(`${stream} was not new`);
  }
};

/** A hundredth of the orders has a proposal, a tenth a case; each order is named by an entry of an operator, one after the other. */
const appendOperated = async (store: EventStore, orders: readonly OperatedOrder[]): Promise<void> => {
  const orderOf = (number: number): OperatedOrder => {
    const order = orders[number % orders.length];
    if (order === undefined) throw new Error('there is no order');
    return order;
  };
  const atOf = (number: number): Instant => addMs(FIRST_AT, number * GAP_MS);
  const entries = Math.ceil(orders.length / OPERATOR_PROCESSES);
  await each(OPERATOR_PROCESSES, (process) =>
    appendTo(
      store,
      operatorEvents(process, entries, (number) => orderOf(process * entries + number), atOf(process * entries)),
    ),
  );
  await each(Math.ceil(orders.length / 10), (number) =>
    appendTo(store, reconciliationCase(number, orderOf(number * 10 + 1), atOf(number * 10))),
  );
  const now = systemClock.now();
  await each(Math.ceil(orders.length / 100), (number) =>
    appendTo(store, proposal(number, orderOf(number * 100 + 1), addMs(now, -number * GAP_MS))),
  );
};

answerQuestions(async ({ dataDir, orders, sample, isOperated = false }: Fill): Promise<Filled> => {
  const ringPath = join(dataDir, 'vault-keyring.json');
  if (!existsSync(ringPath)) createKeyRing(ringPath);
  const vault = await openSqliteVault({ path: join(dataDir, 'vault.sqlite'), keyRing: loadKeyRing(ringPath), clock: systemClock });
  const store = await EmbeddedEventStore.open({ path: join(dataDir, 'events.sqlite'), clock: systemClock, scheduler: systemScheduler });
  const customer = await sealedCustomer(vault);
  const sampled: { clientOrderId: string; orderId: string; stream: string }[] = [];
  const operated: OperatedOrder[] = [];
  const every = Math.max(1, Math.floor(orders / sample));
  await each(orders, async (number) => {
    const ends = isOperated ? operatedOrder(number) : undefined;
    const order = await writtenOrder({ vault, customer, number, acceptedAt: addMs(FIRST_AT, number * GAP_MS), ...ends });
    await appendTo(store, order);
    if (order.delivery !== undefined) await appendTo(store, order.delivery);
    const { clientOrderId, orderId, stream } = order;
    const isLegible = ends?.end !== 'faulty';
    if (number % every === 0 && isLegible && sampled.length < sample) sampled.push({ clientOrderId, orderId, stream });
    if (ends !== undefined) operated.push({ orderId, stream, merchant: ends.merchant });
  });
  if (isOperated) await appendOperated(store, operated);
  await store.close();
  await vault.close();
  return { sample: sampled };
});
