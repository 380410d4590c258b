import type { Instant } from '@app/kernel';
import type { InvoiceId } from '../terms';

/** The gateway's session token was learnt with the check of an invoice: by it a notification, which names no invoice, finds its own. */
export type SessionLearnt = {
  readonly type: 'SessionLearnt';
  readonly data: { readonly invoiceId: InvoiceId; readonly learntAt: Instant };
};

/** The check that it was learnt with was refused after all, for another was first: the token belongs to nobody again. */
export type SessionReleased = {
  readonly type: 'SessionReleased';
  readonly data: { readonly invoiceId: InvoiceId; readonly releasedAt: Instant };
};

export type SessionEvent = SessionLearnt | SessionReleased;
