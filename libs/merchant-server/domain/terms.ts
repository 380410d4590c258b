import type { Brand } from '@app/kernel';

/** HMAC-SHA-256 under a key of the server, hex: replaces values that are only compared, in events (access tokens, session tokens, serial numbers). */
export type KeyedDigest = Brand<string, 'KeyedDigest'>;
/** `invoiceId` of Group B: a UUID that this server made. */
export type InvoiceId = Brand<string, 'InvoiceId'>;
/** The app's id of a card: random, and valid for its consumer alone (protocol decisions, section 8). */
export type ClientCardId = Brand<string, 'ClientCardId'>;

export const MERCHANT_SERVER_OPERATIONS = ['verification', 'sale', 'transfer'] as const;
/** The operations of Group B, by the names that stand in the paths (interface, section 4.3). */
export type MerchantServerOperation = (typeof MERCHANT_SERVER_OPERATIONS)[number];

export const CARD_USES = ['source', 'destination'] as const;
/** The reference of a destination card can only be a destination; that of a source card can be both (protocol decisions, section 8). */
export type CardUse = (typeof CARD_USES)[number];

/** The life of an access token, and the time within which an invoice can be checked for the first time (protocol decisions, section 8). */
export const ACCESS_TOKEN_LIFE_MS = 60 * 60 * 1_000;
