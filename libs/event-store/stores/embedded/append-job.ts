/** What the writing thread is given and gives back; revisions are numbers here, for they lie far below 2^53. */
export interface AppendJob {
  readonly stream: string;
  readonly category: string;
  /** Revision that the first event takes. */
  readonly next: number;
  readonly createdMs: number;
  /** id, type, metadata, data of each event, one after the other. */
  readonly fields: readonly string[];
}

export const FIELDS_PER_EVENT = 4;

export type AppendResult =
  /** `position` is the first event's, and the others follow it; absent of a repeat, whose events were stored before. */
  | { readonly kind: 'appended'; readonly revision: number; readonly position?: number }
  /** `actual` is -1 where there is no stream. */
  | { readonly kind: 'conflict'; readonly actual: number };
