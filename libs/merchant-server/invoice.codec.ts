import type { Currency, EndpointId, MerchantLogin, Money } from '@app/kernel';
import { eventCodec, f, type EventCodec } from '@app/event-store';
import type { ClientCardId, InvoiceId, KeyedDigest } from './domain/terms';
import type {
  CardsMapped,
  CheckAnswered,
  InvoiceCard,
  InvoiceEvent,
  InvoiceOpened,
  InvoiceOrder,
  NamedCard,
} from './domain/invoice.events';
import { INVOICE_CATEGORY } from './merchant-server.stream';

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
    meaning: 'A device began an operation, and got what it must show to the gateway.',
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
    meaning:
      'The gateway checked the invoice: the operation belongs to that session token, and every repeat of the check is answered the same.',
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
    meaning: 'The gateway told which cards took part; each has a name for the app.',
    schema: f.object<CardsMapped['data']>({
      source: f.optional(invoiceCard()),
      destination: f.optional(invoiceCard()),
      mappedAt: f.instant(),
    }),
  },
});
