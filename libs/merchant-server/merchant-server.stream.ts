import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName } from '@app/event-store';
import type { InvoiceId, KeyedDigest } from './domain/terms';

export const ACCESS_TOKEN_CATEGORY = 'accessToken';
export const INVOICE_CATEGORY = 'invoice';
export const SESSION_CATEGORY = 'session';
export const WALLET_CATEGORY = 'wallet';
export const ORDER_END_CATEGORY = 'orderEnd';

// The product is part of every name, so that one product cannot find another's streams (safety, T11).

export const accessTokenStream = (merchant: MerchantLogin, token: KeyedDigest): StreamName =>
  streamName(ACCESS_TOKEN_CATEGORY, merchant, token);
export const invoiceStream = (merchant: MerchantLogin, invoiceId: InvoiceId): StreamName =>
  streamName(INVOICE_CATEGORY, merchant, invoiceId);
export const sessionStream = (merchant: MerchantLogin, session: KeyedDigest): StreamName => streamName(SESSION_CATEGORY, merchant, session);
/** Each consumer has one stream. */
export const walletStream = (merchant: MerchantLogin, consumer: KeyedDigest): StreamName => streamName(WALLET_CATEGORY, merchant, consumer);
export const orderEndStream = (merchant: MerchantLogin, clientOrderId: ClientOrderId): StreamName =>
  streamName(ORDER_END_CATEGORY, merchant, clientOrderId);
