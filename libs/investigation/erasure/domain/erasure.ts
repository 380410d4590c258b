import {
  type CardHandle,
  type CardRefId,
  type Instant,
  type MerchantLogin,
  type OrderId,
  type Sealed,
  unreachable,
  type Decider,
  type NonEmpty,
} from '@app/kernel';

export interface ErasedOrder {
  readonly orderStream: string;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
}

export type LegalHoldPlaced = {
  readonly type: 'LegalHoldPlaced';
  /** The reason is sealed under a separate key, which no erasure destroys. */
  readonly data: ErasedOrder & { readonly reason: Sealed; readonly placedAt: Instant };
};

export type LegalHoldReleased = {
  readonly type: 'LegalHoldReleased';
  readonly data: { readonly reason: Sealed; readonly releasedAt: Instant };
};

export const ERASURE_CAUSES = ['request', 'retention'] as const;
export type ErasureCause = (typeof ERASURE_CAUSES)[number];

export interface ErasedCard {
  readonly handle: CardHandle;
  readonly references: readonly CardRefId[];
}

/** The intent, durable before anything is destroyed, so that another process can complete it after a crash. */
export type ErasureRequested = {
  readonly type: 'ErasureRequested';
  readonly data: ErasedOrder & {
    readonly requestId: string;
    readonly cause: ErasureCause;
    /** An operator's; absent for erasure by age. */
    readonly reason?: Sealed;
    /** Ids of the keys whose texts are erased. */
    readonly texts: readonly string[];
    readonly cards: readonly ErasedCard[];
    readonly requestedAt: Instant;
  };
};

export type Erased = {
  readonly type: 'Erased';
  readonly data: { readonly requestId: string; readonly erasedAt: Instant };
};

export type ErasureEvent = LegalHoldPlaced | LegalHoldReleased | ErasureRequested | Erased;

export interface ErasureRecord {
  readonly requestId: string;
  readonly cause: ErasureCause;
  readonly texts: readonly string[];
  readonly cards: readonly CardHandle[];
  readonly erasedAt: Instant;
}

export interface Erasure {
  readonly heldSince?: Instant;
  /** Requested, but not yet known to be destroyed. */
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

export const erasedTexts = ({ done, underWay }: Erasure): ReadonlySet<string> =>
  new Set([...done.flatMap(({ texts }) => texts), ...(underWay?.texts ?? [])]);

export const erasedCards = ({ done, underWay }: Erasure): ReadonlySet<CardHandle> =>
  new Set([...done.flatMap(({ cards }) => cards), ...(underWay?.cards ?? []).map(({ handle }) => handle)]);

export type ErasureCommand =
  | { readonly type: 'PlaceLegalHold'; readonly data: ErasedOrder & { readonly reason: Sealed; readonly now: Instant } }
  | { readonly type: 'ReleaseLegalHold'; readonly data: { readonly reason: Sealed; readonly now: Instant } }
  | { readonly type: 'RequestErasure'; readonly data: Omit<ErasureRequested['data'], 'requestedAt'> & { readonly now: Instant } }
  | { readonly type: 'RecordErased'; readonly data: Pick<Erased['data'], 'requestId'> & { readonly now: Instant } };

export interface ErasureRejection {
  /** `under-way`: an earlier erasure is in progress. `erased-before`: nothing is left to erase. */
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
      // Some data are already destroyed, so the erasure must be completed.
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

/** Holds and erasures of one order share a stream. If both are requested concurrently, the first append refuses the other. */
export const erasure: Decider<ErasureCommand, ErasureEvent, Erasure, ErasureRejection> = { initial: NOTHING_ERASED, evolve, decide };
