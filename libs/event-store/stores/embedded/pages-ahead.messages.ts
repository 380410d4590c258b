import type { EventId, Position, Revision, StoredEvent, StreamName } from '../../core/port';
import type { LogPage } from '../../runners/subscriptions/cursor-subscription';
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

/** Events as one flat list, because an object of eight members takes longer to clone than what it holds. */
export type FlatEvents = readonly (string | number)[];

const MEMBERS = 8;

export interface FlatPage {
  readonly events: FlatEvents;
  readonly scannedTo: Position;
  readonly isAtEnd: boolean;
}

export type FromPageReader =
  | { readonly kind: 'page'; readonly way: number; readonly page: FlatPage }
  /** The way ends before this page: it is read where it was asked for, which fails there as it failed here. */
  | { readonly kind: 'failed'; readonly way: number };

export const flatPage = ({ events, scannedTo, isAtEnd }: LogPage): FlatPage => {
  const flat: (string | number)[] = [];
  for (const { position, stream, revision, id, type, createdMs, metadata, data } of events)
    flat.push(position, stream, Number(revision), id, type, createdMs, metadata, data);
  return { events: flat, scannedTo, isAtEnd };
};

export const pageOf = ({ events: flat, scannedTo, isAtEnd }: FlatPage): LogPage => {
  const events: StoredEvent[] = [];
  for (let at = 0; at < flat.length; at += MEMBERS)
    events.push({
      id: flat[at + 3] as EventId,
      type: flat[at + 4] as string,
      data: flat[at + 7] as string,
      metadata: flat[at + 6] as string,
      stream: flat[at + 1] as StreamName,
      revision: BigInt(flat[at + 2] as number) as Revision,
      position: flat[at] as Position,
      createdMs: flat[at + 5] as number,
    });
  return { events, scannedTo, isAtEnd };
};
