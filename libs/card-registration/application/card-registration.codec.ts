import type { CardRefId, MerchantLogin, GateAlias } from '@app/kernel';
import { streamName, type StreamName, eventCodec, f, type EventCodec } from '@app/event-store';
import { receivingCard } from '@app/orders';
import { CARD_USES, TOKEN_REFUSALS, type CardReferenceIssued, type CardRegistrationEvent } from '../domain/card-registration';

export const CARD_REFERENCE_CATEGORY = 'cardReference';

/** The merchant is part of the name, so that another merchant's reference is unknown (safety, T11). */
export const cardReferenceStream = (merchant: MerchantLogin, cardRefId: CardRefId): StreamName =>
  streamName(CARD_REFERENCE_CATEGORY, merchant, cardRefId);

type Issued = CardReferenceIssued['data'];
type DataOf<Type extends CardRegistrationEvent['type']> = Extract<CardRegistrationEvent, { readonly type: Type }>['data'];

const gate = () => f.id<GateAlias>();

export const cardRegistrationCodec: EventCodec<CardRegistrationEvent> = eventCodec<CardRegistrationEvent>(CARD_REFERENCE_CATEGORY, {
  CardReferenceIssued: {
    version: 1,
    meaning: 'The card of an approved order got a reference, which the merchant stores instead of the card.',
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
  GateTokenWanted: {
    version: 1,
    meaning: 'The service is about to request a card token from the gate that approved the order. Stored before the call.',
    schema: f.object<DataOf<'GateTokenWanted'>>({
      gate: gate(),
      attemptKey: f.id<DataOf<'GateTokenWanted'>['attemptKey']>(),
      gateOrderId: f.optional(f.gateReference()),
      wantedAt: f.instant(),
    }),
  },
  GateTokenKept: {
    version: 1,
    meaning: 'The gate issued a token that charges the card without its number. Only this gate accepts it.',
    schema: f.object<DataOf<'GateTokenKept'>>({ gate: gate(), token: f.gateReference(), keptAt: f.instant() }),
  },
  GateTokenRefused: {
    version: 1,
    meaning:
      'The gate refused a token, returned one for another card, or did not answer in time. Charges send the card itself to this gate.',
    schema: f.object<DataOf<'GateTokenRefused'>>({ gate: gate(), cause: f.oneOf(...TOKEN_REFUSALS), refusedAt: f.instant() }),
  },
  NetworkTransactionKept: {
    version: 1,
    meaning: 'The scheme’s transaction id of the payment that verified the card. Gates that accept it charge the card without its number.',
    schema: f.object<DataOf<'NetworkTransactionKept'>>({ gate: gate(), networkTransactionId: f.gateReference(), keptAt: f.instant() }),
  },
  CardShredded: {
    version: 1,
    meaning:
      'The card is being erased. Neither its reference nor a gate’s token can be charged any more. Stored before the card is destroyed.',
    schema: f.object<DataOf<'CardShredded'>>({ shreddedAt: f.instant() }),
  },
});
