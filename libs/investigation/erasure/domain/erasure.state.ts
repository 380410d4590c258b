import { unreachable, type CardHandle, type Instant } from '@app/kernel';
import type { Erased, ErasureCause, ErasureEvent, ErasureRequested } from './erasure.events';

/** What was erased at one time, by whatever cause. */
export interface ErasureRecord {
  readonly requestId: string;
  readonly cause: ErasureCause;
  readonly texts: readonly string[];
  readonly cards: readonly CardHandle[];
  readonly erasedAt: Instant;
}

/** What was done with the data that an order keeps; most orders have nothing on record. */
export interface Erasure {
  /** Present while the order is under legal hold. */
  readonly heldSince?: Instant;
  /** Requested, and not known to be destroyed yet. */
  readonly underWay?: ErasureRequested['data'];
  /** The oldest first. */
  readonly done: readonly ErasureRecord[];
}

export const NOTHING_ERASED: Erasure = { done: [] };

const recordOf = ({ requestId, cause, texts, cards }: ErasureRequested['data'], { erasedAt }: Erased['data']): ErasureRecord => ({
  requestId,
  cause,
  texts,
  cards: cards.map(({ handle }) => handle),
  erasedAt,
});

export const evolve = (state: Erasure, event: ErasureEvent): Erasure => {
  const { heldSince, underWay, done } = state;
  switch (event.type) {
    case 'LegalHoldPlaced':
      if (heldSince !== undefined || underWay !== undefined) throw new Error('LegalHoldPlaced where it could not be');
      return { done, heldSince: event.data.placedAt };
    case 'LegalHoldReleased':
      if (heldSince === undefined) throw new Error('LegalHoldReleased of an order that is not held');
      return { done };
    case 'ErasureRequested':
      if (heldSince !== undefined || underWay !== undefined) throw new Error('ErasureRequested where it could not be');
      return { done, underWay: event.data };
    case 'Erased':
      if (underWay?.requestId !== event.data.requestId) throw new Error('Erased without its ErasureRequested');
      return { done: [...done, recordOf(underWay, event.data)] };
    default:
      return unreachable(event);
  }
};

/** Ids of the keys whose texts are gone, or about to be. */
export const erasedTexts = ({ done, underWay }: Erasure): ReadonlySet<string> =>
  new Set([...done.flatMap(({ texts }) => texts), ...(underWay?.texts ?? [])]);

/** Cards that are gone, or about to be. */
export const erasedCards = ({ done, underWay }: Erasure): ReadonlySet<CardHandle> =>
  new Set([...done.flatMap(({ cards }) => cards), ...(underWay?.cards ?? []).map(({ handle }) => handle)]);
