import type { Gates } from '@app/gateway-adapters/contract';
import { flightEndsAt, longestFlightMsOf, type Attempt, type GateAnswer, type Sent } from '../../domain';
import type { CallsUnderWay, Flight } from './calls-under-way';
import { gateCall, type GateCaller } from './gate-caller';
import type { OpenOrder } from '../../order/application/order-context';
import type { OrderRecorder } from '../../order/application/order-recorder';

/** What of an attempt may still be on its way. */
export const attemptFlight = ({ processing }: OpenOrder, attempt: Pick<Attempt, 'gate'> & Sent): Flight => {
  const longestFlightMs = longestFlightMsOf(processing, attempt.gate);
  return { longestFlightMs, sentAt: attempt.sentAt, endsAt: flightEndsAt(attempt, longestFlightMs) };
};

/** Asks, never resends, until the gate has said a word; no age fails an attempt. */
export class InquireAttempt {
  constructor(
    private readonly recorder: OrderRecorder,
    private readonly caller: GateCaller,
    private readonly gates: Gates,
    private readonly underWay: CallsUnderWay,
  ) {}

  /** The order as it stands afterwards. */
  async inquire(open: OpenOrder): Promise<OpenOrder> {
    const { attempts } = open.processing;
    if (attempts.status !== 'started' && attempts.status !== 'unknown' && attempts.status !== 'payer-returned') return open;
    const inquiring = this.gates.gate(attempts.gate).inquiring;
    if (inquiring === undefined) return open; // a person settles what this gate cannot be asked about
    const isPayerBack = attempts.status === 'payer-returned' || (attempts.status === 'unknown' && attempts.isPayerBack);
    const { key } = attempts;
    const record = (word: GateAnswer): Promise<OpenOrder> => this.recorder.recordAnswer(open, key, word);
    const about = { ...gateCall(open, attempts.gate, 'inquire'), key };
    // Of a gate that takes its time nobody knows when it looked: what had not arrived when it was asked may have arrived since.
    const isFlightOver = this.underWay.waitsMs(key, attemptFlight(open, attempts)) === 0;
    const told = await this.caller.inquire(open.order, about, (limit) => inquiring.inquire(key, limit), record);
    // The second leg never reached the gate: after the flight it never will, and nothing was charged.
    const isUnheard = told.kind === 'not-found' || (told.kind === 'payer-needed' && isPayerBack);
    if (!isUnheard) {
      const standing = await record(told);
      if (told.kind !== 'unknown') this.underWay.forget(key);
      return standing;
    }
    if (!isFlightOver || this.underWay.waitsMs(key, attemptFlight(open, attempts)) !== 0) return open;
    const answer: GateAnswer = { kind: 'not-asked', cause: 'never-heard-of' };
    const after = await this.recorder.recordAnswer(open, key, answer, attempts.sentAt);
    this.underWay.forget(key);
    return after;
  }
}
