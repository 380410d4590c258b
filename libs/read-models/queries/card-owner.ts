import { issuedReference } from '@app/card-registration';
import { readChained, type EventStore, type StreamName } from '@app/event-store';
import type { CardHandle, CardRefId, MerchantLogin } from '@app/kernel';
import type { CardReferenceQueries } from '../card-reference/card-reference.queries';
import { decodeAny } from './event-codecs';
import { namedStream } from './order-stream';

export interface CardOwner {
  /** The order that the card came with. */
  readonly stream: StreamName;
  readonly handle: CardHandle;
}

export interface CardOwnerSources {
  readonly log: Pick<EventStore, 'read'>;
  readonly readModel: { readonly cardReferences: Pick<CardReferenceQueries, 'byReference'> };
}

/** A recurrent payment registers its card again at most so often in a row. */
const STEPS_MAX = 100;

/** Finds the order that a reference's card came with; undefined where this merchant has no such reference. @throws BrokenChain, StoreUnavailable */
export const ownerOfCard = async (
  { log, readModel }: CardOwnerSources,
  merchant: MerchantLogin,
  cardRefId: CardRefId,
): Promise<CardOwner | undefined> => {
  let wanted = cardRefId;
  for (let step = 0; step < STEPS_MAX; step++) {
    // The stream of a reference that ended tells no order any more; its row does.
    const reference =
      (await issuedReference(log, merchant, wanted)) ?? (await readModel.cardReferences.byReference(merchant, wanted))?.view;
    if (reference === undefined) return undefined;
    const stream = namedStream(reference.orderKind, merchant, reference.clientOrderId);
    const given = await givenReference(log, stream);
    if (given === undefined) return { stream, handle: reference.card.handle };
    wanted = given;
  }
  throw new Error(`${cardRefId}: its card was registered again more than ${STEPS_MAX} times`);
};

/** The reference by which the card of a recurrent payment was given. */
const givenReference = async (log: Pick<EventStore, 'read'>, stream: StreamName): Promise<CardRefId | undefined> => {
  for await (const stored of readChained(log, stream)) {
    const event = decodeAny(stored);
    return event === undefined ? undefined : (event.data as { readonly cardRefId?: CardRefId }).cardRefId;
  }
  return undefined;
};
