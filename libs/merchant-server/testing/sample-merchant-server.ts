import type { Currency, EndpointId, Instant, MerchantLogin, Sealed } from '@app/kernel';
import type { ClientCardId, InvoiceId, KeyedDigest } from '../domain/terms';
import type { AnswerCheck, OpenInvoice, RecordCards, CardsMapped, CheckAnswered, InvoiceCard, InvoiceOpened } from '../domain/invoice';

export const NOW = 1_704_067_200_000 as Instant;
export const later = (ms: number): Instant => (NOW + ms) as Instant;
export const digest = (text: string): KeyedDigest => Buffer.from(text.padEnd(16, '.')).toString('hex') as KeyedDigest;
export const cardId = (text: string): ClientCardId => text as ClientCardId;

const invoiceOpened = {
  merchant: 'acme' as MerchantLogin,
  invoiceId: '33333333-3333-4333-8333-333333333333' as InvoiceId,
  order: { operation: 'sale', amount: { minor: 12_345n, currency: 'USD' as Currency } },
  endpointId: '1001' as EndpointId,
  accessToken: digest('token'),
  serialNumber: digest('serial'),
  nonce: digest('nonce'),
  sealedNonce: 'sealed-nonce' as Sealed,
  consumer: digest('consumer'),
  email: 'sealed-email' as Sealed,
} as const;

export const openInvoice: OpenInvoice = { type: 'OpenInvoice', data: { ...invoiceOpened, now: NOW } };
export const opened: InvoiceOpened = { type: 'InvoiceOpened', data: { ...invoiceOpened, openedAt: NOW } };

const presented = { operation: 'sale', accessToken: digest('token'), serialNumber: digest('serial') } as const;
export const facts = { session: digest('session'), email: 'sealed-email' as Sealed };
export const answerCheck = (data: Partial<AnswerCheck['data']> = {}): AnswerCheck => ({
  type: 'AnswerCheck',
  data: { ...presented, nonce: digest('nonce'), facts, now: later(1_000), ...data },
});
export const checked = (data: Partial<CheckAnswered['data']> = {}): CheckAnswered => ({
  type: 'CheckAnswered',
  data: { ...facts, answeredAt: later(1_000), ...data },
});

export const invoiceCard: InvoiceCard = {
  clientCardId: cardId('client-card-1'),
  serverCardId: 'csample0reference00c',
  uniqueReferenceCardId: '123456789',
  bin: 444_455,
};
export const recordCards = (data: Partial<RecordCards['data']> = {}): RecordCards => ({
  type: 'RecordCards',
  data: { ...presented, session: digest('session'), cards: { source: invoiceCard }, now: later(5_000), ...data },
});
export const mapped: CardsMapped = { type: 'CardsMapped', data: { source: invoiceCard, mappedAt: later(5_000) } };
