import type { ClientOrderId, MerchantLogin, Currency, EndpointId, Money } from '@app/kernel';
import { streamName, type StreamName, eventCodec, f, type EventCodec } from '@app/event-store';
import { type InvoiceId, type KeyedDigest, type ClientCardId, CARD_USES } from './domain/terms';
import type { AccessTokenBound, AccessTokenEvent, AccessTokenIssued, Consumer } from './domain/access-token';
import type { CardsMapped, CheckAnswered, InvoiceCard, InvoiceEvent, InvoiceOpened, InvoiceOrder, NamedCard } from './domain/invoice';
import { FINAL_STATUSES, type OrderEndEvent, type OrderEndTold } from './domain/order-end';
import type { SessionEvent, SessionLearnt, SessionReleased } from './domain/session';
import type { CardNamed, CardReferenceRenewed, RandomSumTold, RecordedSum, WalletEvent } from './domain/wallet';

const ACCESS_TOKEN_CATEGORY = 'accessToken';
const INVOICE_CATEGORY = 'invoice';
const SESSION_CATEGORY = 'session';
const WALLET_CATEGORY = 'wallet';
const ORDER_END_CATEGORY = 'orderEnd';

// Every name contains the product, so that one product cannot read another's streams (safety, T11).

export const accessTokenStream = (merchant: MerchantLogin, token: KeyedDigest): StreamName =>
  streamName(ACCESS_TOKEN_CATEGORY, merchant, token);
export const invoiceStream = (merchant: MerchantLogin, invoiceId: InvoiceId): StreamName =>
  streamName(INVOICE_CATEGORY, merchant, invoiceId);
export const sessionStream = (merchant: MerchantLogin, session: KeyedDigest): StreamName => streamName(SESSION_CATEGORY, merchant, session);
export const walletStream = (merchant: MerchantLogin, consumer: KeyedDigest): StreamName => streamName(WALLET_CATEGORY, merchant, consumer);
export const orderEndStream = (merchant: MerchantLogin, clientOrderId: ClientOrderId): StreamName =>
  streamName(ORDER_END_CATEGORY, merchant, clientOrderId);

export const accessTokenCodec: EventCodec<AccessTokenEvent> = eventCodec<AccessTokenEvent>(ACCESS_TOKEN_CATEGORY, {
  AccessTokenIssued: {
    version: 1,
    meaning: 'A consumer got an access token. If the consumer is not known, the first device that uses the token identifies its owner.',
    schema: f.object<AccessTokenIssued['data']>({
      consumer: f.optional(f.object<Consumer>({ consumer: f.hash<KeyedDigest>(), email: f.optional(f.sealed()) })),
      issuedAt: f.instant(),
      expiresAt: f.instant(),
    }),
  },
  AccessTokenBound: {
    version: 1,
    meaning: 'The token was used for the first time. From now on, only that device can use it.',
    schema: f.object<AccessTokenBound['data']>({ serialNumber: f.hash<KeyedDigest>(), boundAt: f.instant() }),
  },
});

const paid = () => f.object<{ readonly amount: Money }>({ amount: f.money() });
const namedCard = () => f.object<NamedCard>({ clientCardId: f.id<ClientCardId>(), serverCardId: f.gateReference() });
const invoiceCard = () =>
  f.object<InvoiceCard>({
    clientCardId: f.id<ClientCardId>(),
    serverCardId: f.gateReference(),
    uniqueReferenceCardId: f.gateReference(),
    bin: f.int(),
  });

export const invoiceCodec: EventCodec<InvoiceEvent> = eventCodec<InvoiceEvent>(INVOICE_CATEGORY, {
  InvoiceOpened: {
    version: 1,
    meaning: 'A device began an operation, and got the invoice and nonce to present to the gateway.',
    schema: f.object<InvoiceOpened['data']>({
      merchant: f.id<MerchantLogin>(),
      invoiceId: f.id<InvoiceId>(),
      order: f.tagged<InvoiceOrder>('operation', {
        verification: f.object<{ readonly currency: Currency }>({ currency: f.id<Currency>() }),
        sale: paid(),
        transfer: paid(),
      }),
      endpointId: f.id<EndpointId>(),
      accessToken: f.hash<KeyedDigest>(),
      serialNumber: f.hash<KeyedDigest>(),
      nonce: f.hash<KeyedDigest>(),
      sealedNonce: f.sealed(),
      consumer: f.hash<KeyedDigest>(),
      email: f.optional(f.sealed()),
      openedAt: f.instant(),
    }),
  },
  CheckAnswered: {
    version: 2,
    meaning: 'The gateway checked the invoice, which binds it to that session token. A repeated check gets the same answer.',
    schema: f.object<CheckAnswered['data']>({
      session: f.hash<KeyedDigest>(),
      source: f.optional(namedCard()),
      destination: f.optional(namedCard()),
      email: f.optional(f.sealed()),
      randomSum: f.optional(f.sealed()),
      answeredAt: f.instant(),
    }),
    upcasts: { 1: ({ randomSumCentis: _, ...answered }) => answered },
  },
  CardsMapped: {
    version: 1,
    meaning: 'The gateway reported the cards of the operation. Each has an id for the app.',
    schema: f.object<CardsMapped['data']>({
      source: f.optional(invoiceCard()),
      destination: f.optional(invoiceCard()),
      mappedAt: f.instant(),
    }),
  },
});

export const orderEndCodec: EventCodec<OrderEndEvent> = eventCodec<OrderEndEvent>(ORDER_END_CATEGORY, {
  OrderEndTold: {
    version: 1,
    meaning: 'The gateway reported the final outcome of an order. Stores only the callback members that the checksum covers.',
    schema: f.object<OrderEndTold['data']>({
      clientOrderId: f.merchantText<ClientOrderId>(),
      orderId: f.gateReference(),
      status: f.oneOf(...FINAL_STATUSES),
      toldAt: f.instant(),
    }),
  },
});

export const sessionCodec: EventCodec<SessionEvent> = eventCodec<SessionEvent>(SESSION_CATEGORY, {
  SessionLearnt: {
    version: 1,
    meaning: "A check bound the gateway's session token to its invoice. Notifications name only the token.",
    schema: f.object<SessionLearnt['data']>({ invoiceId: f.id<InvoiceId>(), learntAt: f.instant() }),
  },
  SessionReleased: {
    version: 1,
    meaning: 'The check that bound the token was refused because another came first. The token is free again.',
    schema: f.object<SessionReleased['data']>({ invoiceId: f.id<InvoiceId>(), releasedAt: f.instant() }),
  },
});

export const walletCodec: EventCodec<WalletEvent> = eventCodec<WalletEvent>(WALLET_CATEGORY, {
  CardNamed: {
    version: 1,
    meaning: "A consumer's card got an id, which the app stores instead of the card.",
    schema: f.object<CardNamed['data']>({
      clientCardId: f.id<ClientCardId>(),
      use: f.oneOf(...CARD_USES),
      uniqueReferenceCardId: f.gateReference(),
      bin: f.int(),
      serverCardId: f.gateReference(),
      email: f.optional(f.sealed()),
      mappedAt: f.instant(),
    }),
  },
  CardReferenceRenewed: {
    version: 1,
    meaning: 'The card was used again by its number. The new reference replaces the previous one.',
    schema: f.object<CardReferenceRenewed['data']>({
      clientCardId: f.id<ClientCardId>(),
      serverCardId: f.gateReference(),
      email: f.optional(f.sealed()),
      mappedAt: f.instant(),
    }),
  },
  RandomSumTold: {
    version: 2,
    meaning: 'The cardholder entered the random sum from the card statement. Later checks with that card include it.',
    schema: f.object<RandomSumTold['data']>({
      clientCardId: f.id<ClientCardId>(),
      sum: f.optional(f.object<RecordedSum>({ digest: f.hash<KeyedDigest>(), sealed: f.sealed() })),
      toldAt: f.instant(),
    }),
    upcasts: { 1: ({ randomSumCentis: _, ...event }) => event },
  },
});

export const MERCHANT_SERVER_EVENT_CODECS = [accessTokenCodec, invoiceCodec, sessionCodec, walletCodec, orderEndCodec] as const;
