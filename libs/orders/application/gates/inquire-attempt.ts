import { present, Secret } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { CallLimit, Gates, InquiryAnswer } from '@app/gateway-adapters/contract';
import {
  flightEndsAt,
  isAtGateFees,
  isAtHostedChallenge,
  isPayerBack,
  longestFlightMsOf,
  SEALED_FIELDS,
  type Attempt,
  type GateAnswer,
  type Sent,
} from '../../domain';
import type { InFlightCalls, Flight } from './in-flight-calls';
import { gateCall, type GateCaller } from './gate-caller';
import { isOpenAttempt, sentAttempt } from './sent-requests';
import type { OpenOrder } from '../order-context';
import type { OrderRecorder } from '../order-recorder';

export const attemptFlight = ({ processing }: OpenOrder, attempt: Pick<Attempt, 'gate'> & Sent): Flight => {
  const longestFlightMs = longestFlightMsOf(processing, attempt.gate);
  return { longestFlightMs, sentAt: attempt.sentAt, endsAt: flightEndsAt(attempt, longestFlightMs) };
};

const UNDECIDED: GateAnswer = { kind: 'unknown', cause: 'gate-undecided' };

interface InquireAttemptPorts {
  readonly recorder: OrderRecorder;
  readonly caller: GateCaller;
  readonly gates: Gates;
  readonly underWay: InFlightCalls;
  readonly sealer: Pick<OrderSealer, 'unseal'>;
}

/** Asks the gate for the outcome and never resends; an attempt never fails by its age. */
export class InquireAttempt {
  constructor(private readonly ports: InquireAttemptPorts) {}

  /**
   * Undefined if the gate takes no inquiries.
   * @param recordLate records an answer that arrives after the timeout
   * @param withinMs absent for the usual call timeout
   * @throws VaultUnavailable
   */
  async ask(
    open: OpenOrder,
    attempt: Attempt,
    recordLate: (answer: GateAnswer) => Promise<unknown>,
    withinMs?: number,
  ): Promise<GateAnswer | { readonly kind: 'not-found' } | undefined> {
    const { inquiring } = this.ports.gates.gate(attempt.gate);
    if (inquiring === undefined) return undefined;
    const { order } = open;
    const { key, gate, session: sealed } = attempt;
    const session = sealed && (await this.ports.sealer.unseal(order.merchant, SEALED_FIELDS.gateSession, sealed));
    const sent = { ...sentAttempt(open, attempt), ...(session !== undefined && { session: new Secret(session) }) };
    const about = { ...gateCall(open, gate, { task: 'inquire' }), key, ...present({ withinMs }) };
    const call = (limit: CallLimit): Promise<InquiryAnswer> =>
      inquiring.inquire(
        sent,
        this.ports.caller.noting(order, about, limit, (taken) => this.ports.recorder.recordTaken(open, key, taken)),
      );
    return this.ports.caller.inquire(order, about, { call, recordLate });
  }

  async inquire(open: OpenOrder): Promise<OpenOrder> {
    const { attempts } = open.processing;
    if (attempts.status === 'none' || !isOpenAttempt(attempts, attempts.gate)) return open;
    const { key } = attempts;
    // A refusal covers only what had left before this inquiry.
    const record = (answer: GateAnswer): Promise<OpenOrder> =>
      this.ports.recorder.recordAnswer(open, { key, answer, judgedSentAt: answer.kind === 'not-asked' ? attempts.sentAt : undefined });
    // Decided before the inquiry: a slow gate may have checked before the request arrived.
    const isFlightOver = this.ports.underWay.waitsMs(key, attemptFlight(open, attempts)) === 0;
    const told = await this.ask(open, attempts, record);
    if (told === undefined) return open; // only an operator can resolve it, as this gate takes no inquiries
    // A gate that gave an order id, a payer page or fees has the attempt, whatever it answers now.
    const isNamed = attempts.gateOrderId !== undefined || attempts.session !== undefined;
    const isKnownToGate = isNamed || isAtHostedChallenge(attempts) || isAtGateFees(open.processing.device);
    const answered = told.kind === 'not-found' && isKnownToGate ? UNDECIDED : told;
    // The second leg never reached the gate and after the flight never will, so nothing was charged.
    const isUnknownToGate = answered.kind === 'not-found' || (answered.kind === 'payer-needed' && isPayerBack(attempts));
    if (!isUnknownToGate) {
      const existing = await record(answered);
      if (answered.kind !== 'unknown') this.ports.underWay.forget(key);
      return existing;
    }
    if (!isFlightOver || this.ports.underWay.waitsMs(key, attemptFlight(open, attempts)) !== 0) return open;
    const answer: GateAnswer = { kind: 'not-asked', cause: 'never-heard-of' };
    const after = await this.ports.recorder.recordAnswer(open, { key, answer, judgedSentAt: attempts.sentAt });
    this.ports.underWay.forget(key);
    return after;
  }
}
