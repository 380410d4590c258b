import { addMs, type Clock } from '@app/kernel';
import type { Gates } from '@app/gateway-adapters/contract';
import { longestFlightMsOf, type GateAnswer } from '../domain';
import type { GateCaller } from './gate-caller';
import type { OpenOrder } from './order-context';
import type { OrderRecorder } from './order-recorder';

/** Asks, never resends, until the gate has said a word; no age fails an attempt. */
export class InquireAttempt {
  constructor(
    private readonly recorder: OrderRecorder,
    private readonly caller: GateCaller,
    private readonly gates: Gates,
    private readonly clock: Clock,
  ) {}

  /** The order as it stands afterwards. */
  async inquire(open: OpenOrder): Promise<OpenOrder> {
    const { attempts } = open.processing;
    if (attempts.status !== 'started' && attempts.status !== 'unknown' && attempts.status !== 'payer-returned') return open;
    const inquiring = this.gates.gate(attempts.gate).inquiring;
    if (inquiring === undefined) return open; // a person settles what this gate cannot be asked about
    const isPayerBack = attempts.status === 'payer-returned' || (attempts.status === 'unknown' && attempts.isPayerBack);
    const told = await this.caller.inquire(open.order, () => inquiring.inquire(attempts.key));
    // The second leg never reached the gate: after the flight it never will, and nothing was charged.
    const isUnheard = told.kind === 'not-found' || (told.kind === 'payer-needed' && isPayerBack);
    const flightEndsAt = addMs(attempts.sentAt, longestFlightMsOf(open.processing, attempts.gate));
    if (isUnheard && (this.caller.isUnderWay(attempts.key) || this.clock.now() < flightEndsAt)) return open;
    if (!isUnheard) return this.recorder.recordAnswer(open, attempts.key, told);
    const answer: GateAnswer = { kind: 'not-asked', cause: 'never-heard-of' };
    return this.recorder.recordAnswer(open, attempts.key, answer, attempts.sentAt);
  }
}
