import { type Instant, unreachable, type Decider, type NonEmpty } from '@app/kernel';
import type { InvoiceId } from './terms';

/** An invoice's check contained the gateway's session token, which maps a notification without an invoiceId to its invoice. */
export type SessionLearnt = {
  readonly type: 'SessionLearnt';
  readonly data: { readonly invoiceId: InvoiceId; readonly learntAt: Instant };
};

/** The token's check was refused because another was first: the token is free again. */
export type SessionReleased = {
  readonly type: 'SessionReleased';
  readonly data: { readonly invoiceId: InvoiceId; readonly releasedAt: Instant };
};

export type SessionEvent = SessionLearnt | SessionReleased;

export interface LearnSession {
  readonly type: 'LearnSession';
  readonly data: { readonly invoiceId: InvoiceId; readonly now: Instant };
}

export interface ReleaseSession {
  readonly type: 'ReleaseSession';
  readonly data: { readonly invoiceId: InvoiceId; readonly now: Instant };
}

type SessionCommand = LearnSession | ReleaseSession;

type Session = { readonly status: 'none' } | (SessionLearnt['data'] & { readonly status: 'learnt' });

type SessionRejection =
  | { readonly reason: 'nothing-new' }
  /** A token is permanently bound to one invoice. */
  | { readonly reason: 'other-invoice' };

const evolve = (state: Session, event: SessionEvent): Session => {
  switch (event.type) {
    case 'SessionLearnt':
      if (state.status !== 'none') throw new Error('SessionLearnt twice');
      return { status: 'learnt', ...event.data };
    case 'SessionReleased':
      if (state.status === 'none') throw new Error('SessionReleased before SessionLearnt');
      return { status: 'none' };
    default:
      return unreachable(event);
  }
};

export const session: Decider<SessionCommand, SessionEvent, Session, SessionRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: ({ type, data }, state): NonEmpty<SessionEvent> | SessionRejection => {
    const { invoiceId, now } = data;
    const isOthers = state.status !== 'none' && state.invoiceId !== invoiceId;
    if (isOthers) return { reason: 'other-invoice' };
    switch (type) {
      case 'LearnSession':
        return state.status === 'none' ? [{ type: 'SessionLearnt', data: { invoiceId, learntAt: now } }] : { reason: 'nothing-new' };
      case 'ReleaseSession':
        return state.status === 'none' ? { reason: 'nothing-new' } : [{ type: 'SessionReleased', data: { invoiceId, releasedAt: now } }];
      default:
        return unreachable(type);
    }
  },
};
