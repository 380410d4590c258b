import type { CallLimit, Unknown } from '@app/gateway-adapters/contract';
import { sleep, unreachable, type AttemptKey, type Scheduler } from '@app/kernel';

export const GATE_CALLS = ['charge', 'authorise', 'verify', 'transfer', 'complete', 'capture', 'return', 'void', 'inquire'] as const;
export type GateCall = (typeof GATE_CALLS)[number];

/** One way a call can go wrong between us and a gate (safety, F1 to F3). */
export type Fault =
  /** Never reaches the gate; the caller hears of a time-out. */
  | { readonly kind: 'request-lost' }
  /** The gate does as it is told; the connection breaks before the answer. */
  | { readonly kind: 'answer-lost' }
  /** The caller hears of a time-out; the gate gets the request this much later. */
  | { readonly kind: 'late'; readonly delayMs: number }
  /** Leaves this house so much later, and the call goes on until it is answered; one that heeds its limit lets nothing leave once its time is over. */
  | { readonly kind: 'leaves-late'; readonly delayMs: number; readonly heedsLimit: boolean }
  /** The gate does as it is told at once, and says so that much later. */
  | { readonly kind: 'answers-late'; readonly delayMs: number }
  /** Never reaches the gate, and the call never ends: the caller needs a deadline of its own. */
  | { readonly kind: 'silent' }
  /** The gate does as it is told, and then the call throws. */
  | { readonly kind: 'throws' };

/** Faults on demand, handed to a gate by tests and by the simulation; no configuration reaches them. */
export interface SimulatorFaults {
  /** What `late` waits on. */
  readonly scheduler: Scheduler;
  /** Asked once a call, before the gate sees it. */
  faultFor(call: GateCall, key: AttemptKey): Fault | undefined;
}

const STRIKES_MAX = 10_000;

/** Each fault meets the next call of its kind, in the order in which they were asked for. */
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

/** Lets `process` reach the gate as the fault allows, and tells the caller what it would hear. */
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
      // A late request that fails is a lost one: nobody is left who could be told.
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
