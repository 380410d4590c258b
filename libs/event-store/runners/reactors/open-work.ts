import type { Instant, MerchantLogin } from '@app/kernel';
import type { StreamName } from '../../core/port';

/** Something that a reactor has to do, at the earliest at `dueAt`. */
export interface WorkItem {
  /** One piece of work, whatever its time: a new `due` with the same key replaces it. */
  readonly key: string;
  readonly stream: StreamName;
  /** What is to be done, in the reactor's own words. */
  readonly task: string;
  readonly dueAt: Instant;
  readonly merchant: MerchantLogin;
  /** What it may block: merchant and gate, or merchant and host. Work of one lane never holds up that of another (architecture, rule 9). */
  readonly lane: string;
}

/** What an event does to the open work: the fold of a reactor's memory. */
export type WorkChange = { readonly kind: 'due'; readonly item: WorkItem } | { readonly kind: 'done'; readonly key: string };

/** A lane in which something has been due, without a rest between, since this moment. */
export interface DueLane {
  readonly lane: string;
  readonly since: Instant;
}

export interface DueLanes {
  readonly lanes: readonly DueLane[];
  /** When something becomes due in a lane in which nothing is. */
  readonly nextDueAt: Instant | undefined;
}

/** Which items are listed: those behind a key, those of some tasks. */
export interface WorkListing {
  readonly limit: number;
  readonly after?: string;
  readonly tasks?: readonly string[];
}

/**
 * A reactor's memory: a projection of its own, rebuildable from the log. What is due is found lane by lane, so that a question costs what is asked
 * for, however much waits in a lane and however many lanes there are.
 */
export interface OpenWork {
  /**
   * Lanes in which something may be due at `now`, those first that have been so for longest. A lane keeps its place until it `rest`s, so that
   * page after page comes to each of them in turn. @param after the last lane of the page before
   */
  dueLanes(now: Instant, limit: number, after?: DueLane): Promise<DueLanes>;
  /** Of each lane its first items in order of age, whether they are due yet or not, `limit` of each at most. Lanes in any order. */
  firstOf(lanes: readonly string[], limit: number): Promise<readonly WorkItem[]>;
  /** Lanes whose first item is not due yet, or that have none, as was just read: until something is due there they are not told. */
  rest(lanes: readonly string[]): Promise<void>;
  /** In the order of their keys, whether due or not. */
  list(listing: WorkListing): Promise<readonly WorkItem[]>;
  /**
   * Moves the time of one item that stands as it was read; what an event moved or closed since stays as the event says. A rebuild forgets it,
   * and the item is due as the log says.
   */
  postpone(asRead: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void>;
  /**
   * Where several processes work out of one memory: the keys of those items that are still as they were read. They are this process's until then,
   * and due again for everybody after it; a rebuild forgets that too. It spares work: who may act is decided in the item's stream.
   */
  claim?(items: readonly WorkItem[], until: Instant): Promise<ReadonlySet<string>>;
}
