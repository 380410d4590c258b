import type { Brand } from '@app/kernel';

/** HMAC-SHA-256 under a key of the server, hex: stands in events for what is only ever compared (access tokens, session tokens, serial numbers). */
export type KeyedDigest = Brand<string, 'KeyedDigest'>;
/** `invoiceId` of Group B: a UUID that this server made. */
export type InvoiceId = Brand<string, 'InvoiceId'>;
/** What the app keeps in place of a card: random, and nothing to anybody but the consumer it was made for (protocol decisions, section 8). */
export type ClientCardId = Brand<string, 'ClientCardId'>;

export const DESK_OPERATIONS = ['verification', 'sale', 'transfer'] as const;
/** The operations of Group B, by the names that stand in the paths (interface, section 4.3). */
export type MerchantServerOperation = (typeof DESK_OPERATIONS)[number];

export const CARD_USES = ['source', 'destination'] as const;
/** A destination card's reference can only be a destination, a source's can be both (protocol decisions, section 8). */
export type CardUse = (typeof CARD_USES)[number];

/** Of an access token, and of the invoice that may be checked for the first time (protocol decisions, section 8). */
export const ACCESS_TOKEN_LIFE_MS = 60 * 60 * 1_000;
