import { flatEvents, fromFlatEvents, type FlatEvents } from '../../core/flat-events';
import type { Position } from '../../core/port';
import type { LogPage } from '../../subscribe/cursor-subscription';
import type { WantedCategories } from './log-pages';

/** The messages between a reader and the thread that reads ahead of it; they are structured-cloned. */
export type ToPageReader =
  | {
      readonly kind: 'begin';
      readonly way: number;
      readonly categories: WantedCategories;
      readonly after: Position;
      readonly pages: number;
    }
  /** One more page of this way may be read. */
  | { readonly kind: 'more'; readonly way: number }
  | { readonly kind: 'end'; readonly way: number }
  | { readonly kind: 'close' };

export interface FlatPage {
  readonly events: FlatEvents;
  readonly scannedTo: Position;
  readonly isAtEnd: boolean;
}

export type FromPageReader =
  | { readonly kind: 'page'; readonly way: number; readonly page: FlatPage }
  /** The way ends before this page: it is read where it was asked for, which fails there as it failed here. */
  | { readonly kind: 'failed'; readonly way: number };

export const flatPage = ({ events, scannedTo, isAtEnd }: LogPage): FlatPage => ({ events: flatEvents(events), scannedTo, isAtEnd });

export const pageOf = ({ events, scannedTo, isAtEnd }: FlatPage): LogPage => ({ events: fromFlatEvents(events), scannedTo, isAtEnd });
