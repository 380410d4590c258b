import type { Instant } from '@app/kernel';
import type { InvoiceId } from './terms';

/** The check of an invoice brought the gateway's session token, by which a notification without an invoiceId finds its invoice. */
export type SessionLearnt = {
  readonly type: 'SessionLearnt';
  readonly data: { readonly invoiceId: InvoiceId; readonly learntAt: Instant };
};

/** The check that brought the token was refused, since another was first: the token is free again. */
export type SessionReleased = {
  readonly type: 'SessionReleased';
  readonly data: { readonly invoiceId: InvoiceId; readonly releasedAt: Instant };
};

export type SessionEvent = SessionLearnt | SessionReleased;
