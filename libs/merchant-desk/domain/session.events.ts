import type { Instant } from '@app/kernel';
import type { InvoiceId } from './desk-terms';

/** The gateway's session token was learnt with the check of an invoice: by it a notification, which names no invoice, finds its own. */
export type SessionLearnt = {
  readonly type: 'SessionLearnt';
  readonly data: { readonly invoiceId: InvoiceId; readonly learntAt: Instant };
};

export type SessionEvent = SessionLearnt;
