import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Appended, Conflict, EventStore, Position, Revision, StoredEvent, StreamName, SubscriptionItem } from '../../core/port';
import { collect, idOf } from '../new-events';

export interface StoreUnderTest {
  readonly store: EventStore;
  readonly restart?: () => Promise<EventStore>;
  readonly dispose: () => Promise<void>;
}

interface SilentStore extends StoreUnderTest {
  readonly openCalls: () => number;
  readonly speak: () => void;
}

export interface ContractOptions {
  /** False for a store without a file or server; it skips the cases with a restart. */
  readonly isDurable: boolean;
  readonly openSlow?: (deadlineMs: number) => Promise<StoreUnderTest>;
  readonly openSilent?: () => Promise<SilentStore>;
  /** Whether the log has other writers and earlier events, so that streams need names of this run and the head may move. */
  readonly isShared?: boolean;
  readonly openLateAnswering?: () => Promise<StoreUnderTest>;
  /** Number of events read again after a subscription delivered them; fewer if each costs a round trip. */
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
export const shown = (events: readonly StoredEvent[]): readonly string[] => events.map(({ id, revision: at }) => `${id}@${at}`);
export const named = (...names: readonly string[]): readonly string[] =>
  names.map((text) => text.replace(/^(.+)@/, (_, id: string) => `${idOf(id)}@`));

/** The common helper cannot be used, because its package depends on this one. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const endMs = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`it was not so within ${WAIT_MS_MAX} ms`);
    await turn();
  }
};

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

export class ContractWorld {
  readonly options: ContractOptions;
  readonly isShared: boolean;
  readonly run: string;
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

  readonly expectHeadStill = async (head: Position): Promise<void> => {
    const now = await this.store.head();
    if (this.isShared) expect(this.store.comparePositions(now, head)).toBeGreaterThanOrEqual(0);
    else expect(now).toBe(head);
  };
}
