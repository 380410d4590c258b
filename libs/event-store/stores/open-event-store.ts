import type { Clock, Scheduler, Secret } from '@app/kernel';
import { EmbeddedEventStore } from './embedded';
import type { EventStoreDbEventStore } from './eventstoredb';
import type { EventStore } from '../core/port';

/** A log address from `EVENTSTORE_URL` (architecture, "Stores"). */
export type EventStoreAddress =
  { readonly kind: 'file'; readonly path: string } | { readonly kind: 'eventstoredb'; readonly url: Secret<string> };

export interface EventStoreSettings {
  readonly at: EventStoreAddress;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly openLimitMs?: number;
  /** For a file store: called once when the disk failed during a commit and the process must stop (safety, F25). */
  readonly onBroken?: (error: Error) => void;
  /** For benchmarks of a file store: maximum of appends per transaction. */
  readonly groupJobsMax?: number;
  /** For benchmarks of a file store: delay of each commit. */
  readonly commitDelayMs?: number;
}

export interface OpenedEventStore {
  readonly store: EventStore;
  /** Whether other processes may write concurrently, so that seemingly abandoned work may still be running there. */
  readonly isShared: boolean;
}

/** Loaded only for a server, because the client's stubs slow the start noticeably. */
const serverStore = (): typeof EventStoreDbEventStore =>
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an `import()` is an ES module's, which tests cannot load
  (require('./eventstoredb') as typeof import('./eventstoredb')).EventStoreDbEventStore;

/**
 * Opens a SQLite file for one process, or an EventStoreDB for any number.
 * @throws WriterLocked if another process writes the file; StoreUnavailable or Error with a one-line reason
 */
export const openEventStore = async ({ at, ...settings }: EventStoreSettings): Promise<OpenedEventStore> => {
  if (at.kind === 'file') return { store: await EmbeddedEventStore.open({ path: at.path, ...settings }), isShared: false };
  const { scheduler, openLimitMs } = settings;
  return { store: await serverStore().open({ url: at.url.reveal(), scheduler, openLimitMs }), isShared: true };
};

export interface ReadingSettings {
  readonly openLimitMs?: number;
}

/**
 * Opens a log for reading while another process writes it.
 * @throws Error if there is no log yet, or as `openEventStore`
 */
export const openEventLogReader = async (
  at: EventStoreAddress,
  scheduler: Scheduler,
  { openLimitMs }: ReadingSettings = {},
): Promise<Omit<EventStore, 'append'>> => {
  if (at.kind === 'file') return EmbeddedEventStore.openReader({ path: at.path, scheduler });
  return serverStore().open({ url: at.url.reveal(), scheduler, openLimitMs });
};
