import { unreachable, type Decider, type Instant, type NonEmpty, type Sealed } from '@app/kernel';
import type { Erased, ErasedOrder, ErasureEvent, ErasureRequested } from './erasure.events';
import { erasedCards, erasedTexts, evolve, NOTHING_ERASED, type Erasure } from './erasure.state';

export type ErasureCommand =
  | { readonly type: 'PlaceLegalHold'; readonly data: ErasedOrder & { readonly reason: Sealed; readonly now: Instant } }
  | { readonly type: 'ReleaseLegalHold'; readonly data: { readonly reason: Sealed; readonly now: Instant } }
  | { readonly type: 'RequestErasure'; readonly data: Omit<ErasureRequested['data'], 'requestedAt'> & { readonly now: Instant } }
  | { readonly type: 'RecordErased'; readonly data: Pick<Erased['data'], 'requestId'> & { readonly now: Instant } };

export interface ErasureRejection {
  /** `under-way`: an erasure was requested before and is being done. `erased-before`: there is nothing left that was not erased. */
  readonly reason: 'held-before' | 'not-held' | 'under-legal-hold' | 'under-way' | 'erased-before' | 'nothing-new';
}

const requestErasure = (
  { now, ...asked }: Extract<ErasureCommand, { type: 'RequestErasure' }>['data'],
  state: Erasure,
): NonEmpty<ErasureEvent> | ErasureRejection => {
  if (state.heldSince !== undefined) return { reason: 'under-legal-hold' };
  if (state.underWay !== undefined) return { reason: 'under-way' };
  const [textsGone, cardsGone] = [erasedTexts(state), erasedCards(state)];
  const texts = asked.texts.filter((key) => !textsGone.has(key));
  const cards = asked.cards.filter(({ handle }) => !cardsGone.has(handle));
  if (texts.length === 0 && cards.length === 0) return { reason: 'erased-before' };
  return [{ type: 'ErasureRequested', data: { ...asked, texts, cards, requestedAt: now } }];
};

const decide = (command: ErasureCommand, state: Erasure): NonEmpty<ErasureEvent> | ErasureRejection => {
  switch (command.type) {
    case 'PlaceLegalHold': {
      const { now, ...placed } = command.data;
      if (state.heldSince !== undefined) return { reason: 'held-before' };
      // It is on record that the data are to be gone, and some of them are.
      if (state.underWay !== undefined) return { reason: 'under-way' };
      return [{ type: 'LegalHoldPlaced', data: { ...placed, placedAt: now } }];
    }
    case 'ReleaseLegalHold':
      if (state.heldSince === undefined) return { reason: 'not-held' };
      return [{ type: 'LegalHoldReleased', data: { reason: command.data.reason, releasedAt: command.data.now } }];
    case 'RequestErasure':
      return requestErasure(command.data, state);
    case 'RecordErased': {
      const { requestId, now } = command.data;
      return state.underWay?.requestId === requestId ? [{ type: 'Erased', data: { requestId, erasedAt: now } }] : { reason: 'nothing-new' };
    }
    default:
      return unreachable(command);
  }
};

/** Holds and erasures of one order share a stream: of a hold and an erasure at once, one is first and refuses the other. */
export const erasure: Decider<ErasureCommand, ErasureEvent, Erasure, ErasureRejection> = { initial: NOTHING_ERASED, evolve, decide };
