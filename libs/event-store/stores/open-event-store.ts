import type { Clock, Scheduler, Secret } from '@app/kernel';
import { EmbeddedEventStore } from './embedded';
import type { EventStoreDbEventStore } from './eventstoredb';
import type { EventStore } from '../core/port';

/** The address of a log, as `EVENTSTORE_URL` gives it (architecture, "Stores"). */
export type EventStoreAddress =
  { readonly kind: 'file'; readonly path: string } | { readonly kind: 'eventstoredb'; readonly url: Secret<string> };

export interface EventStoreSettings {
  readonly at: EventStoreAddress;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Time limit of a server's first answer. */
  readonly openLimitMs?: number;
  /** Called once for a file store, when the disk failed during a commit and the process must stop (safety, F25). */
  readonly onBroken?: (error: Error) => void;
  /** For benchmarks of a file store: maximum of appends in one transaction. */
  readonly groupJobsMax?: number;
  /** For benchmarks of a file store: delay of each commit. */
  readonly commitDelayMs?: number;
}

export interface OpenedEventStore {
  readonly store: EventStore;
  /** Whether other processes may write to it at the same time, so that work which looks abandoned may still be in progress there. */
  readonly isShared: boolean;
}

/** Loaded only for a server, because loading the client's stubs would slow every other start noticeably. */
const serverStore = (): typeof EventStoreDbEventStore =>
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an `import()` is an ES module's, which tests cannot load
  (require('./eventstoredb') as typeof import('./eventstoredb')).EventStoreDbEventStore;

/**
 * Opens the log at an address: a SQLite file for one process, or an EventStoreDB for any number.
 * @throws WriterLocked where another process writes the file; StoreUnavailable or Error with one line that says what is wrong
 */
export const openEventStore = async ({ at, ...settings }: EventStoreSettings): Promise<OpenedEventStore> => {
  if (at.kind === 'file') return { store: await EmbeddedEventStore.open({ path: at.path, ...settings }), isShared: false };
  const { scheduler, openLimitMs } = settings;
  return { store: await serverStore().open({ url: at.url.reveal(), scheduler, openLimitMs }), isShared: true };
};

export interface ReadingSettings {
  /** Time limit of a server's first answer. */
  readonly openLimitMs?: number;
}

/** Opens the log for reading beside its writer. @throws Error where there is none yet, or as `openEventStore` */
export const openEventLogReader = async (
  at: EventStoreAddress,
  scheduler: Scheduler,
  { openLimitMs }: ReadingSettings = {},
): Promise<Omit<EventStore, 'append'>> => {
  if (at.kind === 'file') return EmbeddedEventStore.openReader({ path: at.path, scheduler });
  return serverStore().open({ url: at.url.reveal(), scheduler, openLimitMs });
};
