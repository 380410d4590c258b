import type { GateAlias, Monotonic } from '@app/kernel';
import type { OrderContexts } from '../order-context';
import type { GateCircuits } from '../rules/gate-circuits';
import type { HearingWatch, HeardOutcome, OrderAgenda, RequestIndex, ToldRequest } from './hearing-ports';
import { owesOutcome, sentUnderKey } from './sent-requests';

const SECOND_MS = 1_000;

/** So many in any second, and as many at once. It holds two numbers, whatever comes. */
export class HintRate {
  #left: number;
  #atMs: number;

  constructor(
    private readonly perSecond: number,
    private readonly monotonic: Monotonic,
  ) {
    this.#left = perSecond;
    this.#atMs = monotonic.elapsedMs();
  }

  /** False where there was one too many. */
  take(): boolean {
    const nowMs = this.monotonic.elapsedMs();
    this.#left = Math.min(this.perSecond, this.#left + ((nowMs - this.#atMs) * this.perSecond) / SECOND_MS);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}

/** Of one gate in a second; beyond them its orders are inquired by their schedule. */
export const HINTS_PER_SECOND_MAX = 100;
/** Hints that wait to be looked at, of all gates. */
export const HINTS_WAITING_MAX = 1_024;
/** Hints for which the log is read at one time. */
const LOOKS_MAX = 4;

export interface HintPorts {
  readonly contexts: Pick<OrderContexts, 'findByStream'>;
  readonly circuits: Pick<GateCircuits, 'isOpen'>;
  readonly requests: RequestIndex;
  readonly agenda: OrderAgenda;
  readonly monotonic: Monotonic;
  readonly watch: HearingWatch;
}

interface Hinted {
  readonly gate: GateAlias;
  readonly told: ToldRequest;
}

/**
 * What anybody may have sent to a gate's address: it makes the inquiry of its order due, within a limit of rate, and changes nothing else. Equal hints
 * that wait are one. The log is read behind the answer, so that how long it takes tells the sender nothing.
 */
export class Hints {
  readonly #rates = new Map<GateAlias, HintRate>();
  readonly #waiting = new Map<string, Hinted>();
  readonly #looking = new Set<string>();
  #onQuiet: (() => void)[] = [];

  constructor(private readonly ports: HintPorts) {}

  /** @param gate of the configuration, of which there are few */
  take(gate: GateAlias, told: ToldRequest): void {
    const id = `${gate} ${told.stream ?? ''} ${told.key}`;
    if (this.#waiting.has(id) || this.#looking.has(id)) return;
    if (this.ports.circuits.isOpen(gate)) return this.#told(gate, 'circuit-open');
    if (this.#waiting.size >= HINTS_WAITING_MAX || !this.#rateOf(gate).take()) return this.#told(gate, 'limited');
    this.#waiting.set(id, { gate, told });
    this.#goOn();
  }

  /** Resolves when nothing waits. */
  quiet(): Promise<void> {
    return this.#looking.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onQuiet.push(resolve));
  }

  /** Drops what waits. */
  stop(): Promise<void> {
    this.#waiting.clear();
    return this.quiet();
  }

  #rateOf(gate: GateAlias): HintRate {
    const known = this.#rates.get(gate) ?? new HintRate(HINTS_PER_SECOND_MAX, this.ports.monotonic);
    this.#rates.set(gate, known);
    return known;
  }

  #goOn(): void {
    for (const [id, hinted] of this.#waiting) {
      if (this.#looking.size >= LOOKS_MAX) return;
      this.#waiting.delete(id);
      this.#looking.add(id);
      void this.#look(hinted).finally(() => {
        this.#looking.delete(id);
        this.#goOn();
        if (this.#looking.size === 0) for (const resolve of this.#onQuiet.splice(0)) resolve();
      });
    }
  }

  async #look({ gate, told }: Hinted): Promise<void> {
    const { contexts, requests, agenda, watch } = this.ports;
    try {
      const streams = told.stream === undefined ? await requests.streamsOf(told.key) : [told.stream];
      for (const stream of streams) {
        const open = await contexts.findByStream(stream);
        if (open === undefined || sentUnderKey(open, gate, told.key) === undefined) continue;
        if (!owesOutcome(open, gate)) return this.#told(gate, 'nothing-open');
        await agenda.dueNow(stream);
        return this.#told(gate, 'due');
      }
      this.#told(gate, 'unknown');
    } catch (error) {
      watch.hearingFailed(gate, error, told.stream);
      this.#told(gate, 'failed');
    }
  }

  #told(gate: GateAlias, outcome: HeardOutcome): void {
    this.ports.watch.heard(gate, 'hint', outcome);
  }
}
