import type { Writable } from 'node:stream';
import { Observable, share, type Subscription } from 'rxjs';
import type { Operator } from '@app/configuration';
import {
  observedLog,
  positionLike,
  type EventStore,
  type Position,
  type SubscriptionItem,
  type Subscription as LogSession,
} from '@app/event-store';
import type { Scheduled, Scheduler } from '@app/kernel';
import { DELIVERY_CATEGORY } from '@app/callbacks';
import { ORDER_STATUS_CATEGORIES } from '@app/read-models';
import { RECONCILIATION_CATEGORY } from '@app/reconciliation';
import { ERASURE_CATEGORY } from '../erasure/erasure.codec';
import { seesMerchant } from '../operator/operator-access';
import { FeedItems, RecentItems, type KeptItem } from './feed-items';

/** Without the streams of operators: each question of a reader would cause the next one. */
const FEED_CATEGORIES: readonly string[] = [...ORDER_STATUS_CATEGORIES, DELIVERY_CATEGORY, RECONCILIATION_CATEGORY, ERASURE_CATEGORY];

/** Readers of one process. */
export const READERS_MAX = 1_024;
/** Shared by all readers. A live reader that is further behind is ended. */
const ITEMS_MAX = 4_096;
/** Items written at once, a few tens of kilobytes. */
const BATCH_ITEMS = 256;
/** Readers that read the log themselves, because they begin before the shared items. */
const CATCH_UPS_MAX = 4;
export const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for this long is gone. */
export const DRAIN_MS = 30_000;
const LINGER_MS = 5_000;
/** A connection of which the other end is gone lasts no longer, whatever the network reports: an hour. */
const BEATS_MAX = 240;
const RETRY_MS = 1_000;
/** Readers are woken together. */
export const WAKE_MS = 50;

/** `slow`: too far behind. `access`: the operator or its session was removed. `renewal`: connected for an hour. Each can resume. */
type FeedEnd = 'slow' | 'access' | 'renewal' | 'stopping' | 'unavailable';

interface OrderFeedPorts {
  readonly log: Pick<EventStore, 'read' | 'subscribe' | 'head' | 'comparePositions'>;
  readonly scheduler: Scheduler;
}

export interface FeedOpening {
  /** Items after this position are sent. */
  readonly position: Position;
  /** Asked with each heartbeat; undefined if the reader may no longer see the feed. */
  readonly admit: () => Operator | undefined;
}

export type FeedPlace =
  { readonly reason: 'ready'; readonly position: Position } | { readonly reason: 'too-many' | 'malformed' | 'beyond-log' };

/** Events of orders as they are stored, for any number of readers over one subscription. */
export class OrderFeed {
  readonly #ports: OrderFeedPorts;
  readonly #readers = new Set<FeedReader>();
  readonly #items: FeedItems;
  readonly #waiting: (() => void)[] = [];
  #catchUps = 0;
  #recent: RecentItems | undefined;
  #isStopping = false;

  constructor(ports: OrderFeedPorts) {
    this.#ports = ports;
    this.#items = new FeedItems(ports.log);
  }

  /** Emits after new items. The subscription to the log begins with the first observer and ends with the last. */
  readonly changes: Observable<void> = new Observable<void>((observer) => {
    const { log, scheduler } = this.#ports;
    let session: Subscription | undefined;
    let [again, wake]: (Scheduled | undefined)[] = [];
    let isOver = false;
    const retry = (): void => {
      if (!isOver) again = scheduler.after(RETRY_MS, () => void begin());
    };
    const wakeLater = (): void => {
      wake ??= scheduler.after(WAKE_MS, () => {
        wake = undefined;
        observer.next();
      });
    };
    const begin = async (): Promise<void> => {
      try {
        const compare = (a: Position, b: Position): number => log.comparePositions(a, b);
        const recent = this.#recent ?? new RecentItems(await log.head(), ITEMS_MAX, compare);
        if (isOver) return;
        this.#recent = recent;
        wakeLater();
        const keep = (item: SubscriptionItem): Promise<void> => this.#keep(item, recent);
        session = observedLog(log, FEED_CATEGORIES, recent.end, keep).subscribe({ next: wakeLater, error: retry, complete: retry });
      } catch {
        retry();
      }
    };
    void begin();
    return () => {
      isOver = true;
      session?.unsubscribe();
      again?.cancel();
      wake?.cancel();
      this.#recent = undefined;
    };
  }).pipe(share());

  get readers(): number {
    return this.#readers.size;
  }

  get recent(): RecentItems | undefined {
    return this.#recent;
  }

  /**
   * Where a reader begins.
   * @param after the position of the last item that it has; now if undefined
   * @throws StoreUnavailable
   */
  async place(after: string | undefined): Promise<FeedPlace> {
    const { log } = this.#ports;
    if (this.#isStopping || this.#readers.size >= READERS_MAX) return { reason: 'too-many' };
    const head = await log.head();
    if (after === undefined) return { reason: 'ready', position: head };
    const position = positionLike(head, after);
    if (position === undefined) return { reason: 'malformed' };
    return log.comparePositions(position, head) > 0 ? { reason: 'beyond-log' } : { reason: 'ready', position };
  }

  /** Writes to the sink until the sink or the feed ends. */
  read(sink: Writable, opening: FeedOpening): void {
    const reader = new FeedReader(this, this.#ports, sink, opening);
    this.#readers.add(reader);
    sink.once('close', () => {
      this.#readers.delete(reader);
      reader.close();
    });
    reader.start();
    if (this.#isStopping || this.#readers.size > READERS_MAX) reader.end('stopping');
  }

  /** An item for a reader that reads the log itself. @throws StoreUnavailable */
  itemOf(event: Extract<SubscriptionItem, { readonly kind: 'event' }>['event']): Promise<KeptItem> {
    return this.#items.of(event);
  }

  /** Resolves when the reader may read the log. Call the result afterwards. */
  async catchUpTurn(): Promise<() => void> {
    if (this.#catchUps >= CATCH_UPS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#catchUps += 1;
    return () => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#catchUps -= 1;
      else next();
    };
  }

  beforeApplicationShutdown(): void {
    this.#isStopping = true;
    for (const reader of this.#readers) reader.end('stopping');
  }

  async #keep(item: SubscriptionItem, recent: RecentItems): Promise<void> {
    if (item.kind === 'event') recent.add(await this.#items.of(item.event));
    else if (item.kind === 'checkpoint') recent.moveTo(item.position);
  }
}

/** One connection: a place in the shared items. It holds no items itself beyond those being written. */
class FeedReader {
  readonly #feed: OrderFeed;
  readonly #ports: OrderFeedPorts;
  readonly #sink: Writable;
  readonly #admit: FeedOpening['admit'];
  #operator: Operator | undefined;
  #position: Position;
  /** Of the next shared item, once it reads those. */
  #number: number | undefined;
  #isClosed = false;
  #beats = 0;
  #beat: Scheduled | undefined;
  #linger: Scheduled | undefined;
  #onProgress: (() => void) | undefined;
  #session: LogSession | undefined;
  #changes: Subscription | undefined;
  #isWoken = false;

  constructor(feed: OrderFeed, ports: OrderFeedPorts, sink: Writable, { position, admit }: FeedOpening) {
    this.#feed = feed;
    this.#ports = ports;
    this.#sink = sink;
    this.#admit = admit;
    this.#position = position;
    this.#operator = admit();
  }

  start(): void {
    if (this.#operator === undefined) return this.end('access');
    this.#sink.on('drain', () => this.#progress());
    this.#sink.on('error', () => this.#sink.destroy());
    this.#sink.write(`retry: 2000\nid: ${this.#position}\n\n`);
    this.#changes = this.#feed.changes.subscribe(() => {
      this.#isWoken = true;
      if (!this.#sink.writableNeedDrain) this.#progress();
    });
    this.#beatLater();
    this.#run().catch(() => this.end('unavailable'));
  }

  end(reason: FeedEnd): void {
    if (this.#isClosed) return;
    this.close();
    this.#sink.end(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
    // A reader that takes nothing does not take this either.
    this.#linger = this.#ports.scheduler.after(LINGER_MS, () => this.#sink.destroy());
  }

  /** Also after the sink closed. */
  close(): void {
    this.#linger?.cancel();
    this.#isClosed = true;
    this.#beat?.cancel();
    this.#changes?.unsubscribe();
    void this.#session?.cancel();
    this.#progress();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#isWoken = false;
      const { recent } = this.#feed;
      const number = this.#number ?? recent?.numberAfter(this.#position);
      if (recent === undefined) await this.#untilWoken();
      else if (number === undefined) await this.#catchUp(recent.floor);
      else if (number < recent.first) return this.end('slow');
      else await this.#sendRecent(recent, number);
    }
  }

  async #sendRecent(recent: RecentItems, number: number): Promise<void> {
    const { items, next } = recent.from(number, BATCH_ITEMS);
    this.#number = next;
    this.#position = items.at(-1)?.position ?? recent.end;
    if (items.length === 0) return this.#untilWoken();
    await this.#send(items);
  }

  /** Reads the log up to the shared items, as fast as the sink takes them. */
  async #catchUp(floor: Position): Promise<void> {
    const { log } = this.#ports;
    const done = await this.#feed.catchUpTurn();
    try {
      if (this.#isClosed) return;
      const session = log.subscribe(FEED_CATEGORIES, this.#position);
      this.#session = session;
      for await (const item of session) {
        if (item.kind === 'event') {
          const kept = await this.#feed.itemOf(item.event);
          this.#position = kept.position;
          await this.#send([kept]);
        } else {
          const reached = item.kind === 'checkpoint' ? item.position : floor;
          if (log.comparePositions(reached, this.#position) > 0) this.#position = reached;
        }
        if (this.#isClosed || this.#feed.recent?.numberAfter(this.#position) !== undefined) return;
      }
      // The log ended the session.
      this.end('unavailable');
    } finally {
      void this.#session?.cancel();
      this.#session = undefined;
      done();
    }
  }

  async #send(items: readonly KeptItem[]): Promise<void> {
    const operator = this.#operator;
    const seen = operator?.merchants === undefined ? items : items.filter(({ merchant }) => seesMerchant(operator, merchant));
    if (seen.length === 0 || this.#isClosed) return;
    if (this.#sink.write(seen.map(({ text }) => text).join(''))) return;
    const late = this.#ports.scheduler.after(DRAIN_MS, () => this.#sink.destroy());
    while (!this.#isClosed && this.#sink.writableNeedDrain) await new Promise<void>((resolve) => (this.#onProgress = resolve));
    late.cancel();
  }

  async #untilWoken(): Promise<void> {
    if (!this.#isClosed && !this.#isWoken) await new Promise<void>((resolve) => (this.#onProgress = resolve));
  }

  #progress(): void {
    this.#onProgress?.();
    this.#onProgress = undefined;
  }

  #beatLater(): void {
    this.#beat = this.#ports.scheduler.after(HEARTBEAT_MS, () => {
      this.#operator = this.#admit();
      this.#beats += 1;
      if (this.#operator === undefined) return this.end('access');
      if (this.#beats >= BEATS_MAX) return this.end('renewal');
      // Everything up to the position was sent or is not for this reader.
      if (!this.#sink.writableNeedDrain) this.#sink.write(`:\nid: ${this.#position}\n\n`);
      this.#beatLater();
    });
  }
}
