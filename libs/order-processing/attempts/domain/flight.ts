import { addMs, type Instant } from '@app/kernel';
import type { Plan } from '../../order/domain/accepted-order';

/**
 * What is to leave for a gate leaves within so long of the moment that its claim names, or is claimed anew first: the process that claimed it may
 * have been held up, or have heard late that its claim is stored, and others count the flight from that moment.
 */
export const LEAVES_WITHIN_MS = 2_000;

/** A gate that has not answered by then has said nothing, and its adapter lets nothing more leave for it. */
export const GATE_TIMEOUT_MS = 30_000;

/** How long a process that knows that nothing left goes on claiming anew for an order with a CVV: as long as that is kept. */
export const CLAIMS_ANEW_WITHIN_MS = 60_000;

/** As the plan has it of the gate: how long what has left may take to arrive. */
export const longestFlightMsOf = ({ plan }: { readonly plan: Plan }, gate: string): number => {
  const planned = plan.gates.find(({ alias }) => alias === gate);
  if (planned === undefined) throw new Error(`the plan has no gate ${gate}`);
  return planned.longestFlightMs;
};

/** What was sent under a claim, as the log tells it. */
export interface Sent {
  /** The moment that the claim names. */
  readonly sentAt: Instant;
  /** Where whoever made the call has recorded that it ended; else it may go on for as long as a call may take. */
  readonly callEndedAt?: Instant;
}

/** After it nothing of that claim is on its way any more, from whichever process: counted from the last moment at which it may have left. */
export const flightEndsAt = ({ sentAt, callEndedAt }: Sent, longestFlightMs: number): Instant =>
  addMs(callEndedAt ?? addMs(sentAt, LEAVES_WITHIN_MS + GATE_TIMEOUT_MS), longestFlightMs);
