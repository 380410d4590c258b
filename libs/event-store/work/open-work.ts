import type { Instant, MerchantLogin } from '@app/kernel';
import type { StreamName } from '../core/port';

export interface WorkItem {
  /** Identifies the work independent of its time: a new `due` with the same key replaces it. */
  readonly key: string;
  readonly stream: StreamName;
  readonly task: string;
  readonly dueAt: Instant;
  readonly merchant: MerchantLogin;
  /** Merchant and gate, or merchant and host. One lane's work never delays another lane (architecture, rule 9). */
  readonly lane: string;
  /** When it was due before this process claimed it. An item whose time no one has changed was not run elsewhere. */
  readonly dueBeforeClaim?: Instant;
}

export type WorkChange = { readonly kind: 'due'; readonly item: WorkItem } | { readonly kind: 'done'; readonly key: string };

export interface DueLane {
  readonly lane: string;
  readonly since: Instant;
}

export interface DueLanes {
  readonly lanes: readonly DueLane[];
  readonly nextDueAt: Instant | undefined;
}

/** An item's place in its lane, ordered by due time and key. */
export type WorkPlace = Pick<WorkItem, 'dueAt' | 'key'>;

export interface LaneFrom {
  readonly lane: string;
  /** The first item if absent. */
  readonly after?: WorkPlace | undefined;
}

export interface WorkListing {
  readonly limit: number;
  readonly after?: string;
  readonly tasks?: readonly string[];
}

/**
 * A reactor's work table: a projection that can be rebuilt from the log. Queries go lane by lane, so that their cost does not depend on the
 * backlog.
 */
export interface OpenWork {
  /**
   * Lanes that may have due work at `now`, longest due first. A lane keeps its place until `rest`, so that pages reach every lane.
   * @param after the last lane of the previous page
   */
  dueLanes(now: Instant, limit: number, after?: DueLane): Promise<DueLanes>;
  /** The oldest items of each lane after a place, due or not, at most `limit` per lane. The lanes are unordered. */
  firstOf(lanes: readonly LaneFrom[], limit: number): Promise<readonly WorkItem[]>;
  /** Excludes lanes that were just read without due work from `dueLanes` until work is due there. */
  rest(lanes: readonly string[]): Promise<void>;
  list(listing: WorkListing): Promise<readonly WorkItem[]>;
  /** Changes the due time unless an event has moved or closed the item since it was read. A rebuild discards the change. */
  postpone(asRead: WorkPlace, dueAt: Instant): Promise<void>;
  /**
   * Reserves items in a work table shared by several processes, until `until`. Returns the keys that were unchanged since the read. It only
   * avoids duplicate effort: the item's stream decides who may act.
   */
  claim?(items: readonly WorkItem[], until: Instant): Promise<ReadonlySet<string>>;
  /** The listener runs after each rebuild, which discards postponements. Undefined if the table is never rebuilt. */
  onRebuilt?(listener: () => void): void;
}
