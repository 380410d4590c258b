/** A job of the writing thread. Revisions are numbers here, since they stay far below 2^53. */
export interface AppendJob {
  readonly stream: string;
  readonly category: string;
  /** Revision of the first event. */
  readonly next: number;
  readonly createdMs: number;
  /** id, type, metadata and data of each event, in one flat list that is cheap to clone. */
  readonly fields: readonly string[];
}

export const FIELDS_PER_EVENT = 4;

export type AppendResult =
  /** `position` is the first event's; the others follow it. It is absent for a repeat, whose events were stored before. */
  | { readonly kind: 'appended'; readonly revision: number; readonly position?: number }
  /** `actual` is -1 where the stream does not exist. */
  | { readonly kind: 'conflict'; readonly actual: number };
