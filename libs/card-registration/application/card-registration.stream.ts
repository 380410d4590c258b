import type { CardRefId, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName } from '@app/event-store';

export const CARD_REFERENCE_CATEGORY = 'cardReference';

/** One stream for each card reference; the merchant is part of the name, so that another merchant's reference is an unknown one (safety, T11). */
export const cardReferenceStream = (merchant: MerchantLogin, cardRefId: CardRefId): StreamName =>
  streamName(CARD_REFERENCE_CATEGORY, merchant, cardRefId);
