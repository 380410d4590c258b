import type { Gates } from '@app/gateway-adapters/contract';
import {
  flightEndsAt,
  isAtGateFees,
  isAtHostedChallenge,
  isPayerBack,
  longestFlightMsOf,
  type Attempt,
  type Attempts,
  type GateAnswer,
  type Sent,
} from '../../domain';
import type { CallsUnderWay, Flight } from './calls-under-way';
import { gateCall, type GateCaller } from './gate-caller';
import { sentAttempt } from './sent-requests';
import type { OpenOrder } from '../../order/application/order-context';
import type { OrderRecorder } from '../../order/application/order-recorder';

/** What may still be on its way for this attempt. */
export const attemptFlight = ({ processing }: OpenOrder, attempt: Pick<Attempt, 'gate'> & Sent): Flight => {
  const longestFlightMs = longestFlightMsOf(processing, attempt.gate);
  return { longestFlightMs, sentAt: attempt.sentAt, endsAt: flightEndsAt(attempt, longestFlightMs) };
};

const UNDECIDED: GateAnswer = { kind: 'unknown', cause: 'gate-undecided' };

const isAskedAbout = (attempts: Attempts): boolean =>
  attempts.status === 'started' || attempts.status === 'unknown' || attempts.status === 'payer-returned' || isAtHostedChallenge(attempts);

/** Asks the gate and never resends, until the gate has answered definitely; an attempt never fails by its age. */
export class InquireAttempt {
  constructor(
    private readonly recorder: OrderRecorder,
    private readonly caller: GateCaller,
    private readonly gates: Gates,
    private readonly underWay: CallsUnderWay,
  ) {}

  /** Resolves to the order afterwards. */
  async inquire(open: OpenOrder): Promise<OpenOrder> {
    const { attempts } = open.processing;
    if (attempts.status === 'none' || !isAskedAbout(attempts)) return open;
    const inquiring = this.gates.gate(attempts.gate).inquiring;
    if (inquiring === undefined) return open; // only a person can resolve it, as this gate takes no inquiries
    const { key } = attempts;
    // A refusal that the gate tells when asked is one of what had left by now.
    const record = (answer: GateAnswer): Promise<OpenOrder> =>
      this.recorder.recordAnswer(open, key, answer, answer.kind === 'not-asked' ? attempts.sentAt : undefined);
    const about = { ...gateCall(open, attempts.gate, 'inquire'), key };
    // Decided before the inquiry: nobody knows when a slow gate looked, and what had not arrived then may have arrived since.
    const isFlightOver = this.underWay.waitsMs(key, attemptFlight(open, attempts)) === 0;
    const told = await this.caller.inquire(open.order, about, (limit) => inquiring.inquire(sentAttempt(open, attempts), limit), record);
    // A gate that sent the payer to its own pages, or offered the consumer its fees, had heard of the attempt, whatever it says now.
    const isHeardOf = isAtHostedChallenge(attempts) || isAtGateFees(open.processing.device);
    const answered = told.kind === 'not-found' && isHeardOf ? UNDECIDED : told;
    // The second leg never reached the gate and after the flight never will, so nothing was charged.
    const isUnheard = answered.kind === 'not-found' || (answered.kind === 'payer-needed' && isPayerBack(attempts));
    if (!isUnheard) {
      const existing = await record(answered);
      if (answered.kind !== 'unknown') this.underWay.forget(key);
      return existing;
    }
    if (!isFlightOver || this.underWay.waitsMs(key, attemptFlight(open, attempts)) !== 0) return open;
    const answer: GateAnswer = { kind: 'not-asked', cause: 'never-heard-of' };
    const after = await this.recorder.recordAnswer(open, key, answer, attempts.sentAt);
    this.underWay.forget(key);
    return after;
  }
}
