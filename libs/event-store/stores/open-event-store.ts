import type { Clock, Scheduler, Secret } from '@app/kernel';
import { EmbeddedEventStore } from './embedded';
import type { EventStoreDbEventStore } from './eventstoredb';
import type { EventStore } from '../core/port';

/** Where a log lies, as `EVENTSTORE_URL` names it (architecture, "Stores"). */
export type EventStorePlace =
  { readonly kind: 'file'; readonly path: string } | { readonly kind: 'eventstoredb'; readonly url: Secret<string> };

export interface EventStoreSettings {
  readonly at: EventStorePlace;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Of a server: how long its first answer may take. */
  readonly openLimitMs?: number;
  /** Of a file: the disk failed under a commit, and the process must stop (safety, F25). Told once. */
  readonly onBroken?: (error: Error) => void;
  /** Of a file, for measuring: most appends of one transaction. */
  readonly groupJobsMax?: number;
  /** Of a file, for measuring: added to each commit. */
  readonly commitDelayMs?: number;
}

export interface OpenedEventStore {
  readonly store: EventStore;
  /** Other processes may write to it at the same time: what one of them left undone may still be done by it. */
  readonly isShared: boolean;
}

/** Loaded where a setting names a server: the client's stubs would be a good part of every other start. */
const serverStore = (): typeof EventStoreDbEventStore =>
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an `import()` is an ES module's, which tests cannot load
  (require('./eventstoredb') as typeof import('./eventstoredb')).EventStoreDbEventStore;

/**
 * The log that a setting names: a SQLite file for one process, or an EventStoreDB for any number.
 * @throws WriterLocked where another process writes the file; StoreUnavailable or Error with one line that says what is wrong
 */
export const openEventStore = async ({ at, ...settings }: EventStoreSettings): Promise<OpenedEventStore> => {
  if (at.kind === 'file') return { store: await EmbeddedEventStore.open({ path: at.path, ...settings }), isShared: false };
  const { scheduler, openLimitMs } = settings;
  return { store: await serverStore().open({ url: at.url.reveal(), scheduler, openLimitMs }), isShared: true };
};

/** The log without its pen: beside whoever writes it. @throws Error where there is none yet, or as `openEventStore` */
export const openEventLogReader = async (
  at: EventStorePlace,
  scheduler: Scheduler,
  openLimitMs?: number,
): Promise<Omit<EventStore, 'append'>> => {
  if (at.kind === 'file') return EmbeddedEventStore.openReader({ path: at.path, scheduler });
  return serverStore().open({ url: at.url.reveal(), scheduler, openLimitMs });
};
