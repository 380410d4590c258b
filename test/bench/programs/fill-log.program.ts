import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStore } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import type { Fill, Filled } from '../load/filled-log';
import { approvedOrder, sealedCustomer, type WrittenStream } from '../load/written-orders';

const { createKeyRing, loadKeyRing, openSqliteVault } = built<typeof import('@app/card-vault')>('libs/card-vault/index.js');
const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { addMs, systemClock, systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');

const UNDER_WAY_MAX = 512;
const FIRST_AT = 1_767_225_600_000 as Instant;
const GAP_MS = 100;
const each = async (count: number, work: (number: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const run = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) await work(number);
  };
  await Promise.all(Array.from({ length: UNDER_WAY_MAX }, run));
};

const appendTo = async (store: EventStore, { stream, events }: WrittenStream): Promise<void> => {
  if ((await store.append(stream, 'no_stream', events)).kind !== 'appended') throw new Error(`${stream} was not new`);
};

answerQuestions(async ({ dataDir, orders, sample }: Fill): Promise<Filled> => {
  const ringPath = join(dataDir, 'vault-keyring.json');
  if (!existsSync(ringPath)) createKeyRing(ringPath);
  const vault = await openSqliteVault({ path: join(dataDir, 'vault.sqlite'), keyRing: loadKeyRing(ringPath), clock: systemClock });
  const store = await EmbeddedEventStore.open({ path: join(dataDir, 'events.sqlite'), clock: systemClock, scheduler: systemScheduler });
  const customer = await sealedCustomer(vault);
  const sampled: { clientOrderId: string; orderId: string }[] = [];
  const every = Math.max(1, Math.floor(orders / sample));
  await each(orders, async (number) => {
    const order = await approvedOrder({ vault, customer, number, acceptedAt: addMs(FIRST_AT, number * GAP_MS) });
    await appendTo(store, order);
    await appendTo(store, order.delivery);
    if (number % every === 0 && sampled.length < sample) sampled.push({ clientOrderId: order.clientOrderId, orderId: order.orderId });
  });
  await store.close();
  await vault.close();
  return { sample: sampled };
});
