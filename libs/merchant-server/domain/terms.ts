import type { Brand } from '@app/kernel';

/**
 * HMAC-SHA-256 in hex under the server's key. In events, replaces values that are only compared (access tokens, session tokens, serial
 * numbers).
 */
export type KeyedDigest = Brand<string, 'KeyedDigest'>;
/** `invoiceId` of Group B: a UUID made by this server. */
export type InvoiceId = Brand<string, 'InvoiceId'>;
/** The app's id of a card: random, and valid only for its consumer (protocol decisions, section 8). */
export type ClientCardId = Brand<string, 'ClientCardId'>;

export const MERCHANT_SERVER_OPERATIONS = ['verification', 'sale', 'transfer'] as const;
/** The operations of Group B, spelled as in paths (interface, section 4.3). */
export type MerchantServerOperation = (typeof MERCHANT_SERVER_OPERATIONS)[number];

export const CARD_USES = ['source', 'destination'] as const;
/** A destination card's reference can only be a destination; a source card's can be both (protocol decisions, section 8). */
export type CardUse = (typeof CARD_USES)[number];

/** The life of an access token, and the time limit of an invoice's first check (protocol decisions, section 8). */
export const ACCESS_TOKEN_LIFE_MS = 60 * 60 * 1_000;
