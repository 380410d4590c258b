import type { AttemptKey } from '@app/kernel';
import type { Gates } from '@app/gateway-adapters/contract';
import { followUpFlightEndsAt, type FollowUp, type FollowUpAnswer } from '../../domain';
import type { InFlightCalls, Flight } from '../gates/in-flight-calls';
import { gateCall, type GateCaller } from '../gates/gate-caller';
import { sentFollowUp } from '../gates/sent-requests';
import type { NotificationAddresses } from '../gates/gate-notification-ports';
import type { OpenOrder } from '../order-context';
import type { OrderRecorder } from '../order-recorder';

export const followUpFlight = (followUp: Extract<FollowUp, { key: AttemptKey }>): Flight => ({
  longestFlightMs: followUp.longestFlightMs,
  sentAt: followUp.startedAt,
  endsAt: followUpFlightEndsAt(followUp),
});

interface InquireFollowUpPorts {
  readonly recorder: OrderRecorder;
  readonly caller: GateCaller;
  readonly gates: Gates;
  readonly notifications: NotificationAddresses;
  readonly underWay: InFlightCalls;
}

/** Asks for a follow-up's outcome, which never fails by age. Resends only to a gate with idempotent requests. */
export class InquireFollowUp {
  constructor(private readonly ports: InquireFollowUpPorts) {}

  async inquire(open: OpenOrder, number: number): Promise<OpenOrder> {
    const followUp = open.processing.followUps[number - 1];
    if (followUp?.status !== 'started' && followUp?.status !== 'unknown') return open;
    const { key } = followUp;
    const { inquiring, repeating, listening } = this.ports.gates.gate(followUp.gate);
    const record = (word: FollowUpAnswer): Promise<OpenOrder> =>
      this.ports.recorder.recordFollowUpAnswer(open, { number, key, answer: word });
    const about = { ...gateCall(open, followUp.gate, { task: 'inquire', asked: open.traceOf(number) }), followUp: number, key };
    // Decided before the inquiry, as for an attempt: a slow gate may have checked too early.
    const isFlightOver = this.ports.underWay.waitsMs(key, followUpFlight(followUp)) === 0;
    const url = listening && this.ports.notifications.notificationUrl(followUp.gate, open.stream, key);
    const sent = sentFollowUp(open, followUp, { key, notificationUrl: url });
    const ask = isFlightOver && repeating !== undefined ? repeating.repeat.bind(repeating, sent) : inquiring?.inquire.bind(inquiring, sent);
    if (ask === undefined) return open; // only an operator can resolve it, as this gate takes no inquiries
    const answered = await this.ports.caller.inquireFollowUp(about, ask, record);
    if (answered.kind !== 'not-found') {
      const existing = await record(answered);
      if (answered.kind !== 'unknown') this.ports.underWay.forget(key);
      return existing;
    }
    if (!isFlightOver || this.ports.underWay.waitsMs(key, followUpFlight(followUp)) !== 0) return open;
    const answer = { kind: 'not-asked', cause: 'never-heard-of' } as const;
    const after = await this.ports.recorder.recordFollowUpAnswer(open, { number, key, answer, judgedSentAt: followUp.startedAt });
    this.ports.underWay.forget(key);
    return after;
  }
}
