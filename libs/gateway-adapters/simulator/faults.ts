import { sleep, unreachable, type AttemptKey, type Scheduler } from '@app/kernel';
import type { CallLimit, Unknown } from '../contract';

const GATE_CALLS = ['charge', 'authorise', 'verify', 'transfer', 'complete', 'capture', 'return', 'void', 'inquire'] as const;
export type GateCall = (typeof GATE_CALLS)[number];

/** A fault of one call between the service and a gate (safety, F1 to F3). */
export type Fault =
  /** The request never reaches the gate; the caller gets a time-out. */
  | { readonly kind: 'request-lost' }
  /** The gate executes the request; the connection breaks before the answer. */
  | { readonly kind: 'answer-lost' }
  /** The caller gets a time-out; the gate gets the request this much later. */
  | { readonly kind: 'late'; readonly delayMs: number }
  /** The request leaves the service this much later, and the call goes on until it is answered; one that heeds its limit sends nothing once its time is over. */
  | { readonly kind: 'leaves-late'; readonly delayMs: number; readonly heedsLimit: boolean }
  /** The gate executes the request at once, and answers this much later. */
  | { readonly kind: 'answers-late'; readonly delayMs: number }
  /** The request never reaches the gate, and the call never ends: the caller needs a deadline of its own. */
  | { readonly kind: 'silent' }
  /** The gate executes the request, and then the call throws. */
  | { readonly kind: 'throws' };

/** Faults that tests and the simulation inject into a gate; no configuration reaches them. */
export interface SimulatorFaults {
  /** Runs the delays of the faults. */
  readonly scheduler: Scheduler;
  /** Asked once a call, before the gate sees it. */
  faultFor(call: GateCall, key: AttemptKey): Fault | undefined;
}

const STRIKES_MAX = 10_000;

/** Each fault hits the next call of its kind, in the order in which they were asked for. */
export class FaultsOnDemand implements SimulatorFaults {
  readonly #waiting = Object.fromEntries(GATE_CALLS.map((call) => [call, []])) as unknown as Readonly<Record<GateCall, Fault[]>>;

  constructor(readonly scheduler: Scheduler) {}

  /** @throws RangeError beyond 10,000 faults that met no call yet. */
  strike(call: GateCall, fault: Fault): void {
    if (this.#waiting[call].length >= STRIKES_MAX) throw new RangeError(`${STRIKES_MAX} faults wait for a ${call} already`);
    this.#waiting[call].push(fault);
  }

  faultFor(call: GateCall): Fault | undefined {
    return this.#waiting[call].shift();
  }
}

/** Runs `process` as the fault allows, and returns what the caller would get. */
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
      // The caller has its answer already, so that a late request that fails is lost.
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
