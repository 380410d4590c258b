import type { EventStore, StoredEvent } from '@app/event-store';
import type { Clock } from '@app/kernel';
import { decodeAny, DELIVERY_WORK, openWorkDefinitions, ORDER_WORK } from '@app/read-models/queries';
import { LocalReadModel, type ReadModel } from '@app/read-models';
import type { MemoryDisk } from '@app/read-models/testing';

export interface Stores {
  readonly log: EventStore;
  readonly disk: MemoryDisk;
  readonly time: Clock;
}

const WORK_LISTED = 1_000;

export const eventsOf = async (stores: Pick<Stores, 'log'>): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  const session = stores.log.subscribe('all', 'start');
  for await (const item of session) {
    if (item.kind === 'event') events.push(item.event);
    if (item.kind === 'caught-up') break;
  }
  await session.cancel();
  return events;
};

export const readModelOver = (stores: Omit<Stores, 'disk'>, disk: Pick<MemoryDisk, 'open'>): LocalReadModel =>
  LocalReadModel.over(disk.open(), { log: stores.log, decode: decodeAny, clock: stores.time, openWork: openWorkDefinitions });

export const openWorkSeenBy = async (model: Pick<ReadModel, 'openWork'>, time: Clock): Promise<readonly string[]> => {
  const lists = await Promise.all([ORDER_WORK, DELIVERY_WORK].map((name) => model.openWork(name).list({ limit: WORK_LISTED })));
  return lists.flat().map(({ task, stream, dueAt }) => `${task} of ${stream} at ${dueAt - time.now()} ms`);
};

export const openWorkOf = async (stores: Stores): Promise<readonly string[]> => {
  const model = readModelOver(stores, stores.disk);
  try {
    return await openWorkSeenBy(model, stores.time);
  } finally {
    await model.close();
  }
};
