import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { Scheduled } from '@app/kernel';
import { StoreUnavailable, SubscriptionDropped, type Position, type Subscription, type SubscriptionItem } from '../../core/port';
import { BoundedQueue } from './bounded-queue';
import { describeFailure, isDroppedReader, type CallError } from './failure';
import { firstResponse, readHead, type ReadSettings } from './reads';
import { comparePositions, positionText, subscriptionRequest, recordedPosition, storedEvent } from './messages';
import { ReadCall } from './read-call';

export interface LogSubscriptionSettings {
  readonly reads: ReadSettings;
  readonly categories: readonly string[] | 'all';
  readonly after: Position | 'start';
  readonly watchMs: number;
  readonly onEnd: () => void;
}

/** Buffer limits. The server drops a live subscriber that reads too slowly. */
const AHEAD_ITEMS_MAX = 2_000;
const AHEAD_UNITS_MAX = 8 * 1024 * 1024;
/**
 * During catch-up the server sends at least one checkpoint per page. After this many checks without a response, the session counts as dead.
 */
const SILENT_CHECKS_MAX = 5;
const FAILED_CHECKS_MAX = 2;

type Done = IteratorResult<SubscriptionItem, undefined>;
const DONE: Done = { done: true, value: undefined };

/**
 * One session of a filtered catch-up subscription on `$all`. The server sends few checkpoints, and none after it has lost its quorum. An
 * idle session therefore checks whether the log has an event that the live subscription has not delivered. If the event is still missing at
 * the next check, the session ends.
 */
export class LogSubscription implements Subscription {
  readonly #settings: LogSubscriptionSettings;
  readonly #queue: BoundedQueue<SubscriptionItem>;
  #call: ReadCall | undefined;
  #forget: (() => void) | undefined;
  #timer: Scheduled | undefined;
  #reached: Position | 'start';
  #headAtStart: Position | undefined;
  #isCaughtUp = false;
  #isEnded = false;
  #hasResponded = false;
  #silentChecks = 0;
  #failedChecks = 0;
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
      this.#checkLater();
    } catch (error) {
      void this.#end(error as Error);
    }
  }

  #take(response: ReadResp): void {
    this.#hasResponded = true;
    const record = response.getEvent()?.getEvent();
    if (record !== undefined) {
      const position = recordedPosition(record);
      // The server may start slightly before the requested position, but no event may be delivered twice.
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

  #checkLater(): void {
    if (this.#isEnded) return;
    const { reads, watchMs } = this.#settings;
    this.#timer = reads.scheduler.after(watchMs, () => {
      void this.#check().finally(() => this.#checkLater());
    });
  }

  async #check(): Promise<void> {
    const hasResponded = this.#hasResponded;
    this.#hasResponded = false;
    // A slow reader does not mean that the server is dead.
    if (this.#queue.length > 0) return;
    if (!this.#isCaughtUp) {
      this.#silentChecks = hasResponded ? 0 : this.#silentChecks + 1;
      if (this.#silentChecks >= SILENT_CHECKS_MAX) this.#silent('it says nothing');
      return;
    }
    try {
      await this.#checkBeyond();
      this.#failedChecks = 0;
    } catch (error) {
      this.#failedChecks += 1;
      if (this.#failedChecks >= FAILED_CHECKS_MAX) void this.#end(error as Error);
    }
  }

  async #checkBeyond(): Promise<void> {
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
    const Fault = error !== undefined && isDroppedReader(error) ? SubscriptionDropped : StoreUnavailable;
    const message = error === undefined ? `event store ${server}: the server has ended a subscription` : describeFailure(server, error);
    void this.#end(new Fault(message, { cause: error }));
  }

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
