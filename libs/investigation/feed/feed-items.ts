import { categoryOf, metadataOf, type EventStore, type Position, type StoredEvent, type StreamName } from '@app/event-store';
import { isOrderId } from '@app/kernel';

/** An event, without its content: a reader asks the other routes, which check its role and record its questions. */
export interface FeedItem {
  readonly position: string;
  /** The category of the event's stream. */
  readonly kind: string;
  /** Null if the event concerns no single order. */
  readonly orderId: string | null;
  readonly type: string;
}

export interface KeptItem {
  readonly position: Position;
  readonly merchant: string;
  /** The item as a server-sent event, made once for all readers. */
  readonly text: string;
}

interface Naming {
  readonly orderId?: unknown;
  readonly order?: { readonly orderId?: unknown };
  readonly orderStream?: unknown;
}

const STREAMS_MAX = 20_000;

const namingIn = ({ data }: StoredEvent): Naming => {
  try {
    const parsed: unknown = JSON.parse(data);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
};

const orderIn = ({ orderId, order }: Naming): string | null => {
  const named = orderId ?? order?.orderId;
  return typeof named === 'string' && isOrderId(named) ? named : null;
};

const merchantOf = (event: StoredEvent): string => {
  try {
    return String(metadataOf(event).merchant);
  } catch {
    return '';
  }
};

/** Finds the order of each event. Only the first event of a stream names it, so streams are remembered. */
export class FeedItems {
  readonly #orders = new Map<StreamName, string | null>();

  constructor(private readonly log: Pick<EventStore, 'read'>) {}

  /** @throws StoreUnavailable */
  async of(event: StoredEvent): Promise<KeptItem> {
    const { position, stream, type } = event;
    const orderId = await this.#orderOf(event);
    const item: FeedItem = { position, kind: categoryOf(stream), orderId, type };
    return { position, merchant: merchantOf(event), text: `id: ${position}\ndata: ${JSON.stringify(item)}\n\n` };
  }

  async #orderOf(event: StoredEvent): Promise<string | null> {
    const known = this.#orders.get(event.stream);
    if (known !== undefined) return known;
    const found = await this.#namedBy(event);
    const first = found === null && event.revision > 0n ? await this.#firstOf(event.stream) : undefined;
    const order = first === undefined ? found : await this.#namedBy(first);
    this.#remember(event.stream, order);
    return order;
  }

  /** Itself, or by the first event of the stream that it names. */
  async #namedBy(event: StoredEvent): Promise<string | null> {
    const naming = namingIn(event);
    const { orderStream } = naming;
    const own = orderIn(naming);
    if (own !== null || typeof orderStream !== 'string' || orderStream === event.stream) return own;
    const known = this.#orders.get(orderStream as StreamName);
    if (known !== undefined) return known;
    const accepted = await this.#firstOf(orderStream as StreamName);
    return accepted === undefined ? null : orderIn(namingIn(accepted));
  }

  async #firstOf(stream: StreamName): Promise<StoredEvent | undefined> {
    for await (const first of this.log.read(stream)) return first;
    return undefined;
  }

  #remember(stream: StreamName, order: string | null): void {
    this.#orders.set(stream, order);
    if (this.#orders.size <= STREAMS_MAX) return;
    const [eldest] = this.#orders.keys();
    if (eldest !== undefined) this.#orders.delete(eldest);
  }
}

export interface ItemsFrom {
  readonly items: readonly KeptItem[];
  /** Number of the item after them. */
  readonly next: number;
}

/** The newest items of the log, which all readers share. Every item has a number. */
export class RecentItems {
  #items: KeptItem[] = [];
  #first = 0;
  #floor: Position;
  #end: Position;

  /** @param start items after this position are kept */
  constructor(
    start: Position,
    private readonly itemsMax: number,
    private readonly compare: (a: Position, b: Position) => number,
  ) {
    this.#floor = start;
    this.#end = start;
  }

  /** Number of the oldest kept item. */
  get first(): number {
    return this.#first;
  }

  /** Every item of the log after this position is kept. */
  get floor(): Position {
    return this.#floor;
  }

  /** The log is known up to here. */
  get end(): Position {
    return this.#end;
  }

  add(item: KeptItem): void {
    this.#items.push(item);
    this.#end = item.position;
    if (this.#items.length < 2 * this.itemsMax) return;
    const left = this.#items.splice(0, this.itemsMax);
    this.#first += left.length;
    this.#floor = left.at(-1)?.position ?? this.#floor;
  }

  moveTo(position: Position): void {
    if (this.compare(position, this.#end) > 0) this.#end = position;
  }

  /** Number of the first item after the position; undefined if older items are missing. */
  numberAfter(position: Position): number | undefined {
    if (this.compare(position, this.#floor) < 0) return undefined;
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(this.#items[middle]?.position ?? this.#end, position) <= 0) low = middle + 1;
      else high = middle;
    }
    return this.#first + low;
  }

  from(number: number, limit: number): ItemsFrom {
    const items = this.#items.slice(number - this.#first, number - this.#first + limit);
    return { items, next: number + items.length };
  }
}
