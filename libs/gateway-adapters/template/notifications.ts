import type { AttemptKey, Clock, Secret } from '@app/kernel';
import type { CanListen, GateReport, Heard, InboundRequest } from '../contract';
import { outcomeOf } from './translation';
import { isFromAcquirer, readNotification } from './wire';

/** What the acquirer tells by itself: an outcome where it signed it, otherwise a hint to ask. */
export class TemplateNotifications implements CanListen {
  constructor(
    private readonly notificationKey: Secret<string>,
    private readonly clock: Clock,
  ) {}

  listen(request: InboundRequest): Promise<Heard> {
    const answer = readNotification(request);
    if (answer.kind !== 'payment') return Promise.resolve({ reply: { status: 400 }, reports: [] });
    const key = answer.payment.reference as AttemptKey;
    const seenAt = this.clock.now();
    const report: GateReport = isFromAcquirer(request, this.notificationKey)
      ? { kind: 'outcome', key, answerTo: (sent) => outcomeOf(answer, sent, seenAt) }
      : { kind: 'hint', key };
    return Promise.resolve({ reply: { status: 200 }, reports: [report] });
  }
}
