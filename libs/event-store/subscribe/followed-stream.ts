import type { Scheduled, Scheduler } from '@app/kernel';
import { assertChained, lastOf } from '../core/chain';
import type { Last } from '../core/envelope';
import type { EventStore, Revision, StoredEvent, StreamName } from '../core/port';
import type { Loaded } from '../decide/load';

interface FollowedStreamSettings<State> {
  readonly store: Pick<EventStore, 'read'>;
  readonly stream: StreamName;
  readonly initial: State;
  /** Must not change the given state. */
  readonly evolve: (state: State, stored: StoredEvent) => State;
  /** Events that no longer matter, all of them before the others: the first read begins after them. */
  readonly isOver?: (stored: StoredEvent) => boolean;
  readonly scheduler: Scheduler;
  /** Called after each read, also one without a new event. */
  readonly onRead?: (state: State) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export const FOLLOWED_EVERY_MS = 5_000;

/** The last event that is over. The number of reads grows with the logarithm of the stream's length. */
const lastOver = async ({ store, stream, isOver }: Pick<FollowedStreamSettings<never>, 'store' | 'stream' | 'isOver'>): Promise<Last> => {
  let last: Last = 'no_stream';
  const isOverAt = async (revision: bigint): Promise<boolean> => {
    for await (const stored of store.read(stream, revision as Revision)) {
      if (isOver?.(stored) !== true) return false;
      last = lastOf(stored);
      return true;
    }
    return false;
  };
  let [known, step] = [-1n, 1n];
  for (; await isOverAt(known + step); step *= 2n) known += step;
  for (; step > 1n; step /= 2n) if (await isOverAt(known + step / 2n)) known += step / 2n;
  return last;
};

/** The state of a short stream in which every process must act. It polls, so that no lost subscription leaves a process behind. */
export class FollowedStream<State> {
  #state: State;
  #last: Last = 'no_stream';
  #eventCount = 0;
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

  /** For a decision, which then reads only newer events. Undefined until the stream was read once. */
  get loaded(): Loaded<State> | undefined {
    return this.#isRead ? { state: this.#state, last: this.#last, eventCount: this.#eventCount } : undefined;
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
    const { store, stream, evolve, isOver } = this.settings;
    if (isOver !== undefined && this.#last === 'no_stream') this.#last = await lastOver(this.settings);
    const from = (this.#last === 'no_stream' ? 0n : this.#last.revision + 1n) as Revision;
    for await (const stored of store.read(stream, from)) {
      assertChained(stored, this.#last);
      this.#state = evolve(this.#state, stored);
      this.#last = lastOf(stored);
      this.#eventCount += 1;
    }
    this.#isRead = true;
    await this.settings.onRead?.(this.#state);
  }
}
