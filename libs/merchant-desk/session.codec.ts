import { eventCodec, f, type EventCodec } from '@app/event-store';
import type { InvoiceId } from './domain/desk-terms';
import type { SessionEvent, SessionLearnt } from './domain/session.events';
import { SESSION_CATEGORY } from './merchant-desk.stream';

export const sessionCodec: EventCodec<SessionEvent> = eventCodec<SessionEvent>(SESSION_CATEGORY, {
  SessionLearnt: {
    version: 1,
    meaning:
      "The gateway's session token was learnt with the check of an invoice: a notification, which names no invoice, finds its own by it.",
    schema: f.object<SessionLearnt['data']>({ invoiceId: f.id<InvoiceId>(), learntAt: f.instant() }),
  },
});
