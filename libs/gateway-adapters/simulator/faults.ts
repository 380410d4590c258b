import { sleep, unreachable, type AttemptKey, type Scheduler } from '@app/kernel';
import type { CallLimit, Unknown } from '../contract';

const GATE_CALLS = ['charge', 'authorise', 'verify', 'transfer', 'complete', 'capture', 'return', 'void', 'inquire'] as const;
export type GateCall = (typeof GATE_CALLS)[number];

/** A fault of one call between the service and a gate (safety, F1 to F3). */
export type Fault =
  /** The request never reaches the gate; the caller gets a timeout. */
  | { readonly kind: 'request-lost' }
  /** The gate executes the request; the connection breaks before the answer. */
  | { readonly kind: 'answer-lost' }
  /** The caller gets a timeout; the gate receives the request this much later. */
  | { readonly kind: 'late'; readonly delayMs: number }
  /** The request leaves this much later and the call waits for its answer. With `heedsLimit`, nothing is sent after the time limit. */
  | { readonly kind: 'leaves-late'; readonly delayMs: number; readonly heedsLimit: boolean }
  /** The gate executes the request at once and answers this much later. */
  | { readonly kind: 'answers-late'; readonly delayMs: number }
  /** The request never reaches the gate and the call never ends: the caller needs a deadline. */
  | { readonly kind: 'silent' }
  /** The gate executes the request, then the call throws. */
  | { readonly kind: 'throws' };

/** Faults for tests and the simulation; not reachable by configuration. */
export interface SimulatorFaults {
  readonly scheduler: Scheduler;
  faultFor(call: GateCall, key: AttemptKey): Fault | undefined;
}

const STRIKES_MAX = 10_000;

/** Each fault hits the next call of its kind, first in, first out. */
export class FaultsOnDemand implements SimulatorFaults {
  readonly #waiting = Object.fromEntries(GATE_CALLS.map((call) => [call, []])) as unknown as Readonly<Record<GateCall, Fault[]>>;

  constructor(readonly scheduler: Scheduler) {}

  strike(call: GateCall, fault: Fault): void {
    if (this.#waiting[call].length >= STRIKES_MAX) throw new RangeError(`${STRIKES_MAX} faults wait for a ${call} already`);
    this.#waiting[call].push(fault);
  }

  faultFor(call: GateCall): Fault | undefined {
    return this.#waiting[call].shift();
  }
}

export const underFault = async <Answer>(
  fault: Fault | undefined,
  scheduler: Scheduler | undefined,
  limit: CallLimit | undefined,
  process: () => Promise<Answer>,
): Promise<Answer | Unknown> => {
  if (fault === undefined || scheduler === undefined) return process();
  switch (fault.kind) {
    case 'request-lost':
      return { kind: 'unknown', cause: 'timeout' };
    case 'answer-lost':
      await process();
      return { kind: 'unknown', cause: 'connection-lost' };
    case 'late':
      // The caller already has its answer, so a failure of the late request is ignored.
      scheduler.after(fault.delayMs, () => void process().catch(() => undefined));
      return { kind: 'unknown', cause: 'timeout' };
    case 'leaves-late':
      await sleep(scheduler, fault.delayMs);
      return fault.heedsLimit && limit?.signal.aborted === true ? { kind: 'unknown', cause: 'timeout' } : process();
    case 'answers-late': {
      const answer = await process();
      await sleep(scheduler, fault.delayMs);
      return answer;
    }
    case 'silent':
      return new Promise<never>(() => undefined);
    case 'throws':
      await process();
      throw new Error('the simulated gate broke off the call');
    default:
      return unreachable(fault);
  }
};
