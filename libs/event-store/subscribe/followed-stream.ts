import type { Scheduled, Scheduler } from '@app/kernel';
import { assertChained, lastOf } from '../core/chain';
import type { Last } from '../core/envelope';
import type { EventStore, Revision, StoredEvent, StreamName } from '../core/port';

interface FollowedStreamSettings<State> {
  readonly store: Pick<EventStore, 'read'>;
  readonly stream: StreamName;
  readonly initial: State;
  /** Must not change the given state. */
  readonly evolve: (state: State, stored: StoredEvent) => State;
  readonly scheduler: Scheduler;
  /** Called after each read, also one without a new event. */
  readonly onRead?: (state: State) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export const FOLLOWED_EVERY_MS = 5_000;

/** The state of a short stream in which every process must act. It polls, so that no lost subscription leaves a process behind. */
export class FollowedStream<State> {
  #state: State;
  #last: Last = 'no_stream';
  #isRead = false;
  #reading: Promise<void> = Promise.resolve();
  #next: Scheduled | undefined;
  #isStopped = false;

  constructor(private readonly settings: FollowedStreamSettings<State>) {
    this.#state = settings.initial;
  }

  /** Undefined until the stream was read once. */
  get state(): State | undefined {
    return this.#isRead ? this.#state : undefined;
  }

  /** Reads once before it resolves. A failure is retried, and does not prevent the start. */
  async start(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      this.settings.onError(error);
    }
    if (!this.#isStopped) this.#next = this.settings.scheduler.after(FOLLOWED_EVERY_MS, () => void this.start());
  }

  /** Includes every event that was stored before the call. @throws StoreUnavailable, BrokenChain, UndecodableEvent */
  refresh(): Promise<void> {
    const read = this.#reading.then(() => this.#read());
    this.#reading = read.catch(() => undefined);
    return read;
  }

  stop(): void {
    this.#isStopped = true;
    this.#next?.cancel();
  }

  async #read(): Promise<void> {
    const { store, stream, evolve } = this.settings;
    const from = (this.#last === 'no_stream' ? 0n : this.#last.revision + 1n) as Revision;
    for await (const stored of store.read(stream, from)) {
      assertChained(stored, this.#last);
      this.#state = evolve(this.#state, stored);
      this.#last = lastOf(stored);
    }
    this.#isRead = true;
    await this.settings.onRead?.(this.#state);
  }
}
