import { eventCodec, f, type EventCodec } from '@app/event-store';
import type { InvoiceId } from './domain/terms';
import type { SessionEvent, SessionLearnt, SessionReleased } from './domain/session.events';
import { SESSION_CATEGORY } from './merchant-server.stream';

export const sessionCodec: EventCodec<SessionEvent> = eventCodec<SessionEvent>(SESSION_CATEGORY, {
  SessionLearnt: {
    version: 1,
    meaning:
      "The gateway's session token was learnt with the check of an invoice: a notification, which names no invoice, finds its own by it.",
    schema: f.object<SessionLearnt['data']>({ invoiceId: f.id<InvoiceId>(), learntAt: f.instant() }),
  },
  SessionReleased: {
    version: 1,
    meaning: 'The check that the token was learnt with was refused after all, for another was first: it belongs to nobody again.',
    schema: f.object<SessionReleased['data']>({ invoiceId: f.id<InvoiceId>(), releasedAt: f.instant() }),
  },
});
