import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Appended, Conflict, EventStore, Position, Revision, StoredEvent, StreamName, SubscriptionItem } from '../../core/port';
import { collect, idOf } from '../new-events';

export interface StoreUnderTest {
  readonly store: EventStore;
  /** Closes the store and opens it again on the same data. */
  readonly restart?: () => Promise<EventStore>;
  /** Closes the store and deletes its data. */
  readonly dispose: () => Promise<void>;
}

/** A store whose reads are not answered before `speak`. */
interface SilentStore extends StoreUnderTest {
  /** Count of open calls at its server. */
  readonly openCalls: () => number;
  readonly speak: () => void;
}

export interface ContractOptions {
  /** False for a store that keeps nothing, which skips the cases with a restart. */
  readonly isDurable: boolean;
  /** Opens a store whose commits take longer than its deadline for an append; absent where an append cannot be slow. */
  readonly openSlow?: (deadlineMs: number) => Promise<StoreUnderTest>;
  /** Opens a store whose server answers no read; absent where a read cannot be slow. */
  readonly openSilent?: () => Promise<SilentStore>;
  /** Whether the log has other writers and earlier runs' events, so that streams get names of this run and the head may move. */
  readonly isShared?: boolean;
  /** Opens a store that answers an append some time after its events are visible. */
  readonly openLateAnswering?: () => Promise<StoreUnderTest>;
  /** Count of events that are read back once a subscription delivered them; fewer where each costs a round trip to a server. */
  readonly seenEvents?: number;
  /** Rounds of row 10 (safety, section 4.2); 10,000 on demand. */
  readonly rivalRounds?: number;
}

const RUN_BYTES = 4;
const WAIT_MS_MAX = 10_000;

export const revision = (value: number): Revision => BigInt(value) as Revision;
export const appendedAt = (value: number): Appended => ({ kind: 'appended', revision: revision(value) });
export const conflictAt = (actual: 'no_stream' | number): Conflict => ({
  kind: 'conflict',
  actual: actual === 'no_stream' ? 'no_stream' : revision(actual),
});
/** Events as `id@revision`. */
export const shown = (events: readonly StoredEvent[]): readonly string[] => events.map(({ id, revision: at }) => `${id}@${at}`);
/** As `shown`, from texts `name@revision`. */
export const named = (...names: readonly string[]): readonly string[] =>
  names.map((text) => text.replace(/^(.+)@/, (_, id: string) => `${idOf(id)}@`));

/** Waits for a condition; the common helper cannot be used, because its package depends on this one. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const endMs = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`it was not so within ${WAIT_MS_MAX} ms`);
    await turn();
  }
};

/** Takes items of a subscription until the condition holds or it ends. */
export const takeUntil = async (
  subscription: AsyncIterable<SubscriptionItem>,
  isEnough: (items: readonly SubscriptionItem[]) => boolean,
): Promise<readonly SubscriptionItem[]> => {
  const items: SubscriptionItem[] = [];
  for await (const item of subscription) {
    items.push(item);
    if (isEnough(items)) break;
  }
  return items;
};
export const eventsOf = (items: readonly SubscriptionItem[]): readonly StoredEvent[] =>
  items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
export const hasCaughtUp = (items: readonly SubscriptionItem[]): boolean => items.at(-1)?.kind === 'caught-up';

/** The store that the cases share, with names of streams that no other case uses. */
export class ContractWorld {
  readonly options: ContractOptions;
  readonly isShared: boolean;
  /** Begins the names of this run's streams on a shared log. */
  readonly run: string;
  /** Category of streams that need none of their own. */
  readonly ordinary: string;
  #subject: StoreUnderTest | undefined;
  #store: EventStore | undefined;
  #streams = 0;

  constructor(options: ContractOptions) {
    this.options = options;
    this.isShared = options.isShared === true;
    this.run = this.isShared ? `r${randomBytes(RUN_BYTES).toString('hex')}` : '';
    this.ordinary = `contract${this.run}`;
  }

  get store(): EventStore {
    if (this.#store === undefined) throw new Error('the store is not open');
    return this.#store;
  }

  async open(opening: Promise<StoreUnderTest>): Promise<void> {
    this.#subject = await opening;
    this.#store = this.#subject.store;
  }

  async restart(): Promise<void> {
    if (this.#subject?.restart === undefined) throw new Error('a durable store can be started again');
    this.#store = await this.#subject.restart();
  }

  async dispose(): Promise<void> {
    await this.#subject?.dispose();
  }

  readonly newStream = (category = this.ordinary): StreamName => `${category}-${++this.#streams}` as StreamName;

  readonly newCategory = (): string => `category${this.run}${++this.#streams}`;

  readonly read = async (stream: StreamName, from?: Revision): Promise<readonly string[]> =>
    shown(await collect(this.store.read(stream, from)));

  /** On a shared log other writers may move the head. */
  readonly expectHeadStill = async (head: Position): Promise<void> => {
    const now = await this.store.head();
    if (this.isShared) expect(this.store.comparePositions(now, head)).toBeGreaterThanOrEqual(0);
    else expect(now).toBe(head);
  };
}
