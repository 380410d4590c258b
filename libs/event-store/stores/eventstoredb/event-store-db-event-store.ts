import type { Deadline, NonEmpty, Scheduler } from '@app/kernel';
import { assertAppendable } from '../../core/append-guard';
import {
  type Appended,
  type Conflict,
  type EventStore,
  type NewEvent,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
  type Subscription,
  StoreUnavailable,
} from '../../core/port';
import { Appends } from './appends';
import { CallSlots, OpenCalls } from './calls';
import { connectionSettings } from './connection-url';
import { readHead, readStream, type ReadSettings } from './reads';
import { LogSubscription } from './log-subscription';
import { comparePositions } from './messages';
import { RawClient } from './raw-client';

export interface EventStoreDbEventStoreSettings {
  readonly url: string;
  readonly scheduler: Scheduler;
  /**
   * Time limit of the first append attempt, of a read without a response before it is retried elsewhere, and of a ping. About the time of a
   * failover. Further attempts have up to four times as long.
   */
  readonly attemptMs?: number;
  /** Time limit of an append or read with all its attempts. */
  readonly limitMs?: number;
  /** Time limit for the first response on opening; short for interactive use. Defaults to `limitMs`. */
  readonly openLimitMs?: number | undefined;
  /** How often a live subscription checks that it still delivers all events. */
  readonly watchMs?: number;
}

const ATTEMPT_MS = 1_000;
const LIMIT_MS = 10_000;
const WATCH_MS = 2_000;
/** Each uses one of a connection's 100 HTTP/2 streams (EventStoreDB notes, section 1, point 9). */
const SUBSCRIPTIONS_MAX = 15;

/** `DEBUG=esdb:*` would make the client print payloads and addresses. */
const assertNoDebugLog = (names: string | undefined): void => {
  if (names !== undefined && /(?:^|[\s,])(?:\*|esdb)/.test(names)) {
    throw new Error('DEBUG names esdb: the client would print payloads and keys. Unset it.');
  }
};

/**
 * The event log in an EventStoreDB server or cluster (architecture, "Stores"; EventStoreDB notes, section 1). One per process is enough:
 * its connection carries 100 concurrent calls.
 */
export class EventStoreDbEventStore implements EventStore {
  readonly #client: RawClient;
  readonly #openCalls = new OpenCalls();
  readonly #appends: Appends;
  readonly #reads: ReadSettings;
  readonly #watchMs: number;
  #pendingAppends = 0;
  #subscriptions = 0;
  #onDrained: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  private constructor({ url, scheduler, attemptMs = ATTEMPT_MS, limitMs = LIMIT_MS, watchMs = WATCH_MS }: EventStoreDbEventStoreSettings) {
    const settings = connectionSettings(url);
    const { server } = settings;
    this.#client = new RawClient(settings, scheduler, attemptMs);
    const client = this.#client;
    const slots = new CallSlots();
    this.#appends = new Appends({ client, slots, scheduler, server, attemptMs, limitMs });
    this.#reads = { client, slots, openCalls: this.#openCalls, scheduler, server, attemptMs, limitMs };
    this.#watchMs = watchMs;
  }

  /**
   * Connects and checks that the log is readable. No error contains the password.
   * @throws StoreUnavailable with one line: address, password, rights on `$all`, certificate; Error if the URL is invalid
   */
  static async open(settings: EventStoreDbEventStoreSettings): Promise<EventStoreDbEventStore> {
    assertNoDebugLog(process.env.DEBUG);
    const store = new EventStoreDbEventStore(settings);
    try {
      await readHead({ ...store.#reads, limitMs: settings.openLimitMs ?? store.#reads.limitMs });
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async append(
    stream: StreamName,
    expected: 'no_stream' | Revision,
    events: NonEmpty<NewEvent>,
    limitMs?: number,
  ): Promise<Appended | Conflict> {
    assertAppendable(stream, expected, events);
    this.#openCalls.assertOpen();
    if (this.#closing !== undefined) throw new StoreUnavailable('the store is closed');
    this.#pendingAppends += 1;
    try {
      return await this.#appends.append(stream, expected, events, limitMs);
    } finally {
      this.#pendingAppends -= 1;
      if (this.#pendingAppends === 0) this.#onDrained?.();
    }
  }

  read(stream: StreamName, from: Revision = 0n as Revision, deadline?: Deadline): AsyncIterable<StoredEvent> {
    return { [Symbol.asyncIterator]: () => readStream(this.#reads, stream, from, deadline) };
  }

  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription {
    if (this.#subscriptions >= SUBSCRIPTIONS_MAX) throw new Error(`more than ${SUBSCRIPTIONS_MAX} subscriptions at once in one process`);
    const subscription = new LogSubscription({
      reads: this.#reads,
      categories,
      after,
      watchMs: this.#watchMs,
      onEnd: () => (this.#subscriptions -= 1),
    });
    this.#subscriptions += 1;
    return subscription;
  }

  head(deadline?: Deadline): Promise<Position> {
    return readHead(this.#reads, deadline);
  }

  comparePositions(a: Position, b: Position): number {
    return comparePositions(a, b);
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    if (this.#pendingAppends > 0) await new Promise<void>((resolve) => (this.#onDrained = resolve));
    this.#openCalls.close();
    await this.#client.close();
  }
}
