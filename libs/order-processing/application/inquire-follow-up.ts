import type { Clock } from '@app/kernel';
import type { Gates } from '@app/gateway-adapters/contract';
import { followUpFlightEndsAt } from '../domain';
import type { GateCaller } from './gate-caller';
import type { OpenOrder } from './order-context';
import type { OrderRecorder } from './order-recorder';

/** Asks what became of a follow-up, never resends it; no age fails it. */
export class InquireFollowUp {
  constructor(
    private readonly recorder: OrderRecorder,
    private readonly caller: GateCaller,
    private readonly gates: Gates,
    private readonly clock: Clock,
  ) {}

  /** The order as it stands afterwards. */
  async inquire(open: OpenOrder, number: number): Promise<OpenOrder> {
    const followUp = open.processing.followUps[number - 1];
    if (followUp?.status !== 'started' && followUp?.status !== 'unknown') return open;
    const { key } = followUp;
    const inquiring = this.gates.gate(followUp.gate).inquiring;
    if (inquiring === undefined) return open; // a person settles what this gate cannot be asked about
    const told = await this.caller.inquireFollowUp(() => inquiring.inquire(key));
    if (told.kind !== 'not-found') return this.recorder.recordFollowUpAnswer(open, number, key, told);
    if (this.caller.isUnderWay(key) || this.clock.now() < followUpFlightEndsAt(followUp)) return open;
    return this.recorder.recordFollowUpAnswer(open, number, key, { kind: 'not-asked', cause: 'never-heard-of' });
  }
}
