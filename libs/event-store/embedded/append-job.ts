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
  | { readonly kind: 'appended'; readonly revision: number }
  /** `actual` is -1 where there is no stream. */
  | { readonly kind: 'conflict'; readonly actual: number };
