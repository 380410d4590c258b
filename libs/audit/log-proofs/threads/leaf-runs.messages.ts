import type { Position } from '@app/event-store';

export interface LeafRunsData {
  /** Of the embedded store's file. */
  readonly path: string;
}

export type ToLeafRuns = { readonly after: Position | 'start'; readonly to: Position; readonly tiles: number } | 'close';

/** The answers to the runs, in their order. */
export type FromLeafRuns =
  | {
      readonly kind: 'hashed';
      readonly leaves: Uint8Array;
      readonly roots: Uint8Array;
      readonly leftOut: number;
      readonly leftOutCategories: readonly string[];
    }
  | { readonly kind: 'irregular' };
