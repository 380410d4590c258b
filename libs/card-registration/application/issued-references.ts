import type { CardRefId, Deadline, MerchantLogin } from '@app/kernel';
import { FoldedStreams, readChained, type EventStore } from '@app/event-store';
import { cardRegistrationCodec, cardReferenceStream } from './card-registration.codec';
import { cardRegistration } from '../domain/card-registration';

/** Reads streams, because a read model may lag behind (architecture, rule 10). */
export class IssuedReferences {
  readonly #streams;

  constructor(store: EventStore) {
    this.#streams = new FoldedStreams(store, cardRegistration, cardRegistrationCodec);
  }

  /**
   * Undefined if this merchant has none of that id.
   * @throws BrokenChain, UndecodableEvent, StoreUnavailable
   */
  async find(merchant: MerchantLogin, cardRefId: CardRefId, deadline?: Deadline) {
    const { state } = await this.#streams.load(cardReferenceStream(merchant, cardRefId), deadline);
    return state.status === 'issued' ? state : undefined;
  }
}

/**
 * One lookup for tools outside the service.
 * @throws BrokenChain, UndecodableEvent, StoreUnavailable
 */
export const issuedReference = async (log: Pick<EventStore, 'read'>, merchant: MerchantLogin, cardRefId: CardRefId) => {
  let state = cardRegistration.initial;
  for await (const stored of readChained(log, cardReferenceStream(merchant, cardRefId))) {
    state = cardRegistration.evolve(state, cardRegistrationCodec.decode(stored));
  }
  return state.status === 'issued' ? state : undefined;
};
