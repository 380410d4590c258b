import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { Scheduled } from '@app/kernel';
import { StoreUnavailable, type Position, type Subscription, type SubscriptionItem } from '../../../core/port';
import { BoundedQueue } from '../calls/bounded-queue';
import { describeFailure, type CallError } from '../calls/failure';
import { firstResponse } from './first-response';
import { readHead } from './log-head';
import { comparePositions, positionText } from './position';
import { ReadCall } from './read-call';
import { subscriptionRequest } from './read-requests';
import { recordedPosition, storedEvent } from './stored-event';
import type { ReadSettings } from './stream-read';

export interface LogSubscriptionSettings {
  readonly reads: ReadSettings;
  readonly categories: readonly string[] | 'all';
  readonly after: Position | 'start';
  /** Between two looks whether the live subscription still says all there is. */
  readonly watchMs: number;
  /** Once, when the session has ended. */
  readonly onEnd: () => void;
}

/** A live subscriber that the server must wait for is dropped, so that much is taken off its hands at once. */
const AHEAD_ITEMS_MAX = 2_000;
const AHEAD_UNITS_MAX = 8 * 1024 * 1024;
/** In catch-up the server sends at least a checkpoint a page: looks without a word after which the session is dead. */
const SILENT_LOOKS_MAX = 5;
/** Each has tried for as long as a read may take. */
const FAILED_LOOKS_MAX = 2;

type Done = IteratorResult<SubscriptionItem, undefined>;
const DONE: Done = { done: true, value: undefined };

/**
 * One session of a filtered catch-up subscription on `$all`.
 *
 * The server reports a checkpoint once per page of events that it considers, and nothing for what remains of a page; a leader that has lost its
 * quorum reports nothing at all. So a session that has nothing to deliver looks for itself: it reads the head, then by a second, short reading
 * whether an event of its categories lies between its own place and that head. None: its checkpoint is the head. One that the live subscription
 * does not deliver until the next look: the path is dead, and the session ends.
 */
export class LogSubscription implements Subscription {
  readonly #settings: LogSubscriptionSettings;
  readonly #queue: BoundedQueue<SubscriptionItem>;
  #call: ReadCall | undefined;
  #forget: (() => void) | undefined;
  #timer: Scheduled | undefined;
  /** Newest place that was handed to the queue, by an event or a checkpoint. */
  #reached: Position | 'start';
  #headAtStart: Position | undefined;
  #isCaughtUp = false;
  #isEnded = false;
  #hasSpoken = false;
  #silentLooks = 0;
  #failedLooks = 0;
  /** An event of ours that a look has found and the live subscription owes. */
  #owed: Position | undefined;

  constructor(settings: LogSubscriptionSettings) {
    this.#settings = settings;
    this.#reached = settings.after;
    this.#queue = new BoundedQueue({
      itemsMax: AHEAD_ITEMS_MAX,
      unitsMax: AHEAD_UNITS_MAX,
      onFull: () => this.#call?.pause(),
      onRoom: () => this.#call?.resume(),
    });
    this.#forget = settings.reads.openCalls.add(() => void this.cancel());
    void this.#begin();
  }

  cancel(): Promise<void> {
    this.#queue.drop();
    return this.#end(undefined);
  }

  [Symbol.asyncIterator](): AsyncIterator<SubscriptionItem, undefined> {
    return {
      next: () => this.#queue.next().then((item) => (item === undefined ? DONE : { done: false, value: item })),
      return: async () => {
        await this.cancel();
        return DONE;
      },
    };
  }

  async #begin(): Promise<void> {
    const { reads, categories, after } = this.#settings;
    try {
      const request = subscriptionRequest(categories, after);
      this.#headAtStart = await readHead(reads);
      if (this.#isEnded) return;
      this.#call = new ReadCall({
        client: reads.client,
        scheduler: reads.scheduler,
        request,
        onResponse: (response) => this.#take(response),
        onEnd: (error) => this.#fail(error),
      });
      this.#lookLater();
    } catch (error) {
      void this.#end(error as Error);
    }
  }

  #take(response: ReadResp): void {
    this.#hasSpoken = true;
    const record = response.getEvent()?.getEvent();
    if (record !== undefined) {
      const position = recordedPosition(record);
      // The server may begin again a little before where it was asked to; a session gives nothing twice.
      if (!this.#isBeyond(position)) return;
      const event = storedEvent(record);
      this.#reached = position;
      this.#queue.push({ kind: 'event', event }, event.data.length + event.metadata.length);
      return;
    }
    const checkpoint = response.getCheckpoint();
    if (checkpoint !== undefined) {
      this.#checkpoint(positionText(checkpoint.getCommitPosition(), checkpoint.getPreparePosition()));
    } else if (response.hasCaughtUp() && !this.#isCaughtUp) {
      this.#isCaughtUp = true;
      if (this.#headAtStart !== undefined) this.#checkpoint(this.#headAtStart);
      this.#queue.push({ kind: 'caught-up' }, 0);
    }
  }

  #isBeyond(position: Position): boolean {
    return this.#reached === 'start' || comparePositions(position, this.#reached) > 0;
  }

  #checkpoint(position: Position): void {
    if (!this.#isBeyond(position)) return;
    this.#reached = position;
    this.#queue.push({ kind: 'checkpoint', position }, 0);
  }

  #lookLater(): void {
    if (this.#isEnded) return;
    const { reads, watchMs } = this.#settings;
    this.#timer = reads.scheduler.after(watchMs, () => {
      void this.#look().finally(() => this.#lookLater());
    });
  }

  async #look(): Promise<void> {
    const hasSpoken = this.#hasSpoken;
    this.#hasSpoken = false;
    // The reader is behind: what is not taken yet says nothing of the server.
    if (this.#queue.length > 0) return;
    if (!this.#isCaughtUp) {
      this.#silentLooks = hasSpoken ? 0 : this.#silentLooks + 1;
      if (this.#silentLooks >= SILENT_LOOKS_MAX) this.#silent('it says nothing');
      return;
    }
    try {
      await this.#lookBeyond();
      this.#failedLooks = 0;
    } catch (error) {
      this.#failedLooks += 1;
      if (this.#failedLooks >= FAILED_LOOKS_MAX) void this.#end(error as Error);
    }
  }

  async #lookBeyond(): Promise<void> {
    const { reads, categories } = this.#settings;
    if (this.#owed !== undefined && this.#isBeyond(this.#owed)) {
      this.#silent(`an event at ${this.#owed} was not delivered`);
      return;
    }
    this.#owed = undefined;
    const head = await readHead(reads);
    if (this.#isEnded || !this.#isBeyond(head)) return;
    const found = await firstResponse(reads, subscriptionRequest(categories, this.#reached), (response) => {
      const record = response.getEvent()?.getEvent();
      if (record !== undefined) return recordedPosition(record);
      return response.hasCaughtUp() ? ('none' as const) : undefined;
    });
    if (this.#isEnded || found === undefined) return;
    if (found === 'none') this.#checkpoint(head);
    else if (this.#isBeyond(found)) this.#owed = found;
  }

  #silent(fault: string): void {
    void this.#end(new StoreUnavailable(`event store ${this.#settings.reads.server}: a subscription is dead: ${fault}`));
  }

  #fail(error: CallError | undefined): void {
    const { server } = this.#settings.reads;
    void this.#end(
      new StoreUnavailable(
        error === undefined ? `event store ${server}: the server has ended a subscription` : describeFailure(server, error),
        { cause: error },
      ),
    );
  }

  /** What was received before is delivered first. */
  async #end(error: Error | undefined): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#timer?.cancel();
    this.#forget?.();
    this.#queue.end(error);
    await this.#call?.cancel();
    this.#settings.onEnd();
  }
}
