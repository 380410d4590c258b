import { streamName, type StreamName, eventCodec, f, type EventCodec, readChained, type EventStore } from '@app/event-store';
import type { CardHandle, CardRefId } from '@app/kernel';
import {
  ERASURE_CAUSES,
  type Erased,
  type ErasedCard,
  type ErasedOrder,
  type ErasureEvent,
  type ErasureRequested,
  type LegalHoldPlaced,
  type LegalHoldReleased,
  evolve,
  NOTHING_ERASED,
  type Erasure,
} from './domain/erasure';

export const ERASURE_CATEGORY = 'erasure';

/** One stream per order, named after the order's stream. Exact revisions make holds and erasures exclude each other. */
export const erasureStream = (orderStream: string): StreamName => streamName(ERASURE_CATEGORY, orderStream);

const order = () => ({ orderStream: f.id(), orderId: f.id<ErasedOrder['orderId']>(), merchant: f.id<ErasedOrder['merchant']>() });

export const erasureCodec: EventCodec<ErasureEvent> = eventCodec<ErasureEvent>(ERASURE_CATEGORY, {
  LegalHoldPlaced: {
    version: 1,
    meaning:
      'Until the hold is released, the order is not erased, neither on request nor by retention. The operator is the actor. The reason is sealed under a key that no erasure destroys.',
    schema: f.object<LegalHoldPlaced['data']>({ ...order(), reason: f.sealed(), placedAt: f.instant() }),
  },
  LegalHoldReleased: {
    version: 1,
    meaning: 'The order may be erased again.',
    schema: f.object<LegalHoldReleased['data']>({ reason: f.sealed(), releasedAt: f.instant() }),
  },
  ErasureRequested: {
    version: 1,
    meaning:
      'These keys of sealed texts and these cards of the order will be destroyed in the vault. Stored before the first is destroyed. The events with the sealed texts do not change.',
    schema: f.object<ErasureRequested['data']>({
      ...order(),
      requestId: f.id(),
      cause: f.oneOf(...ERASURE_CAUSES),
      reason: f.optional(f.sealed()),
      texts: f.list<readonly string[]>(f.id()),
      cards: f.list<readonly ErasedCard[]>(
        f.object<ErasedCard>({ handle: f.id<CardHandle>(), references: f.list<readonly CardRefId[]>(f.id<CardRefId>()) }),
      ),
      requestedAt: f.instant(),
    }),
  },
  Erased: {
    version: 1,
    meaning: 'The keys and cards of the request are destroyed. No copy of the texts can be read, and the cards cannot be charged.',
    schema: f.object<Erased['data']>({ requestId: f.id(), erasedAt: f.instant() }),
  },
});

/** Holds and erasures of an order from the log; also works without a running service. @throws BrokenChain, StoreUnavailable */
export const erasureOf = async (log: Pick<EventStore, 'read'>, orderStream: string): Promise<Erasure> => {
  let state = NOTHING_ERASED;
  for await (const stored of readChained(log, erasureStream(orderStream))) state = evolve(state, erasureCodec.decode(stored));
  return state;
};
