import type { Instant, MerchantLogin } from '@app/kernel';
import type { StreamName } from '../core/port';

/** A task of a reactor, to be done at `dueAt` at the earliest. */
export interface WorkItem {
  /** Identifies the work whatever its time: a new `due` with the same key replaces it. */
  readonly key: string;
  readonly stream: StreamName;
  /** The task's name within its reactor. */
  readonly task: string;
  readonly dueAt: Instant;
  readonly merchant: MerchantLogin;
  /** Merchant and gate, or merchant and host. Work of one lane never delays that of another (architecture, rule 9). */
  readonly lane: string;
}

/** The effect of an event on a reactor's open work. */
export type WorkChange = { readonly kind: 'due'; readonly item: WorkItem } | { readonly kind: 'done'; readonly key: string };

/** A lane in which work has been due without interruption since this moment. */
export interface DueLane {
  readonly lane: string;
  readonly since: Instant;
}

export interface DueLanes {
  readonly lanes: readonly DueLane[];
  /** The next time at which work becomes due in a lane without due work. */
  readonly nextDueAt: Instant | undefined;
}

/** Selects the items to list: those after a key, those of some tasks. */
export interface WorkListing {
  readonly limit: number;
  readonly after?: string;
  readonly tasks?: readonly string[];
}

/**
 * A reactor's memory: a projection of its own, rebuildable from the log. Due work is found lane by lane, so that a query costs only what it asks for,
 * however many items wait in a lane and however many lanes there are.
 */
export interface OpenWork {
  /**
   * Lanes in which work may be due at `now`, longest due first. A lane keeps its place until it `rest`s, so that successive pages reach each of them.
   * @param after the last lane of the page before
   */
  dueLanes(now: Instant, limit: number, after?: DueLane): Promise<DueLanes>;
  /** The first items of each lane in order of age, due or not, at most `limit` per lane. Lanes come in any order. */
  firstOf(lanes: readonly string[], limit: number): Promise<readonly WorkItem[]>;
  /** Marks lanes without due work, as was just read: `dueLanes` leaves them out until work is due there. */
  rest(lanes: readonly string[]): Promise<void>;
  /** Lists items in the order of their keys, due or not. */
  list(listing: WorkListing): Promise<readonly WorkItem[]>;
  /**
   * Moves the time of one item unless an event has moved or closed it since it was read. A rebuild forgets the change, and the item is due as the log
   * says.
   */
  postpone(asRead: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void>;
  /**
   * Reserves items where several processes share one memory, and returns the keys of those that no other process changed since they were read. They
   * belong to this process until `until` and are due for every process afterwards; a rebuild forgets that too. It only saves work: the item's stream
   * decides who may act.
   */
  claim?(items: readonly WorkItem[], until: Instant): Promise<ReadonlySet<string>>;
  /** Has the listener called whenever a rebuild has taken over, which forgot what was postponed. Absent where nothing is ever rebuilt. */
  onRebuilt?(listener: () => void): void;
}
