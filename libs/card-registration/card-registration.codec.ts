import { eventCodec, f, type EventCodec } from '@app/event-store';
import { receivingCard } from '@app/order-processing';
import { CARD_REFERENCE_CATEGORY } from './card-registration.stream';
import { CARD_USES, type CardReferenceIssued, type CardRegistrationEvent } from './domain/card-registration.events';

type Issued = CardReferenceIssued['data'];

export const cardRegistrationCodec: EventCodec<CardRegistrationEvent> = eventCodec<CardRegistrationEvent>(CARD_REFERENCE_CATEGORY, {
  CardReferenceIssued: {
    version: 1,
    meaning: 'The card of an approved order has a reference, which the merchant keeps instead of the card.',
    schema: f.object<Issued>({
      cardRefId: f.id<Issued['cardRefId']>(),
      use: f.oneOf(...CARD_USES),
      merchant: f.id<Issued['merchant']>(),
      orderKind: f.oneOf('payment', 'recurring', 'deviceVerification', 'transfer'),
      orderId: f.id<Issued['orderId']>(),
      clientOrderId: f.merchantText<Issued['clientOrderId']>(),
      endpointId: f.id<Issued['endpointId']>(),
      card: receivingCard(),
      customer: f.sealed(),
      issuedAt: f.instant(),
    }),
  },
});
