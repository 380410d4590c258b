import type { Decider, Instant, NonEmpty } from '@app/kernel';
import type { InvoiceId } from './desk-terms';
import type { SessionEvent, SessionLearnt } from './session.events';

export interface LearnSession {
  readonly type: 'LearnSession';
  readonly data: { readonly invoiceId: InvoiceId; readonly now: Instant };
}

export type Session = { readonly status: 'none' } | (SessionLearnt['data'] & { readonly status: 'learnt' });

export type SessionRejection =
  | { readonly reason: 'nothing-new' }
  /** A token is bound to one invoice, for ever. */
  | { readonly reason: 'other-invoice' };

export const session: Decider<LearnSession, SessionEvent, Session, SessionRejection> = {
  initial: { status: 'none' },
  evolve: (state, event) => {
    if (state.status !== 'none') throw new Error(`${event.type} twice`);
    return { status: 'learnt', ...event.data };
  },
  decide: ({ data }, state): NonEmpty<SessionEvent> | SessionRejection => {
    if (state.status === 'none') return [{ type: 'SessionLearnt', data: { invoiceId: data.invoiceId, learntAt: data.now } }];
    return { reason: state.invoiceId === data.invoiceId ? 'nothing-new' : 'other-invoice' };
  },
};
