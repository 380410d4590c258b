import type { Instant, MerchantLogin } from '@app/kernel';
import type { StreamName } from './port';

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

/** A reactor's memory: a projection of its own, rebuildable from the log. */
export interface OpenWork {
  /** Due at `now` or before, the earliest first, none of the lanes named (they are full). */
  due(now: Instant, limit: number, exceptLanes: readonly string[]): Promise<readonly WorkItem[]>;
  /** Of the earliest item that is due later than `after`. */
  nextDueAt(after: Instant): Promise<Instant | undefined>;
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
