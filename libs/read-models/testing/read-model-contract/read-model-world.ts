import type { EventStore, StoredEvent } from '@app/event-store';
import type { Clock } from '@app/kernel';
import type { ReadModelDatabase } from '../../engine/database/database';
import { MessageChannel } from 'node:worker_threads';
import { LocalReadModel, type ReadModelSettings } from '../../local-read-model';
import type { ReadModel } from '../../read-model';
import { ProjectingThread, readModelWrittenBy } from '../../thread/projecting-thread';
import { serveProjecting } from '../../thread/serve-projecting';
import type { Story } from '../order-life';
import { START } from '../sample-orders';
import { decode, orderWork, wholeLog, writeStories } from '../written-log';

export interface ReadModelFixture {
  open(): Promise<ReadModelDatabase>;
  /** Blocks all reads of a table until it is ended; absent if queries are synchronous. */
  readonly stall?: (table: string) => Promise<{ readonly waiting: () => Promise<number>; readonly end: () => Promise<void> }>;
  remove(): Promise<void>;
}

export const clock: Clock = { now: () => START };
export const APPROVED = [0, 0, 0, 1];
export const DECLINED = [0, 1, 0, 1];
export const OPEN = [0, 2];
export const FOLLOWED_UNKNOWN = [0, 0, 0, 2, 2, 4];
export const STATEMENTS_MAX = 500;

type Over = (settings?: Partial<ReadModelSettings>, connection?: ReadModelDatabase) => ReadModel;

export type Written = 'here' | 'by-messages';

export class ReadModelWorld {
  readonly fixture: () => Promise<ReadModelFixture>;
  readonly #openStore: () => Promise<EventStore> | EventStore;
  #place: ReadModelFixture | undefined;
  #database: ReadModelDatabase | undefined;
  #store: EventStore | undefined;
  readonly #opened: ReadModelDatabase[] = [];

  readonly #written: Written;

  constructor(fixture: () => Promise<ReadModelFixture>, openStore: () => Promise<EventStore> | EventStore, written: Written = 'here') {
    this.fixture = fixture;
    this.#openStore = openStore;
    this.#written = written;
  }

  get place(): ReadModelFixture {
    return opened(this.#place);
  }

  get database(): ReadModelDatabase {
    return opened(this.#database);
  }

  get store(): EventStore {
    return opened(this.#store);
  }

  async open(): Promise<void> {
    this.#place = await this.fixture();
    this.#store = await this.#openStore();
    this.#database = await this.connect();
  }

  async close(): Promise<void> {
    await this.store.close();
    for (const connection of this.#opened.splice(0)) await connection.close();
    await this.place.remove();
  }

  readonly replaceStore = async (): Promise<void> => {
    await this.store.close();
    this.#store = await this.#openStore();
  };

  readonly connect = async (): Promise<ReadModelDatabase> => {
    const connection = await this.place.open();
    this.#opened.push(connection);
    return connection;
  };

  readonly local = (settings: Partial<ReadModelSettings> = {}, connection = this.database): LocalReadModel =>
    LocalReadModel.over(connection, { log: this.store, decode, clock, openWork: [orderWork], ...settings });

  readonly over: Over = (settings, connection) =>
    this.#written === 'here' ? this.local(settings, connection) : this.#byMessages(settings, connection);

  readonly project = async (model: ReadModel, log?: readonly StoredEvent[]): Promise<void> => {
    const events = log ?? (await wholeLog(this.store, model.categories));
    const last = events.at(-1);
    if (last !== undefined) await model.apply(events, last.position);
  };

  readonly write = (...stories: readonly Story[]): Promise<void> => writeStories(this.store, stories);

  #byMessages(settings: Partial<ReadModelSettings> = {}, connection = this.database): ReadModel {
    const { port1: asking, port2: serving } = new MessageChannel();
    const told = { log: this.store, decode, clock, openWork: [orderWork], ...settings };
    serveProjecting(serving, (news) => ({
      model: LocalReadModel.over(connection, { ...told, ...news }),
      close: () => Promise.resolve(),
    }));
    const thread = ProjectingThread.over(asking, {
      ...settings,
      onBroken: (error) => {
        throw error;
      },
    });
    for (const port of [asking, serving]) port.unref();
    return readModelWrittenBy(thread, { reads: connection.reads, close: () => Promise.resolve() }, told);
  }

  readonly live = async (stories: readonly Story[], settings: Partial<ReadModelSettings> = {}): Promise<ReadModel> => {
    const model = this.over(settings);
    await model.build();
    await this.write(...stories);
    await this.project(model);
    return model;
  };
}

const opened = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('the case is not open');
  return value;
};
