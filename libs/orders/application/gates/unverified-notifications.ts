import type { GateAlias, Monotonic } from '@app/kernel';
import type { OrderContexts } from '../order-context';
import type { GateCircuits } from '../rules/gate-circuits';
import type {
  GateNotificationListener,
  ReceivedReportOutcome,
  OrderAgenda,
  RequestIndex,
  ReportedRequest,
} from './gate-notification-ports';
import { owesOutcome, sentUnderKey } from './sent-requests';

const SECOND_MS = 1_000;

export class UnverifiedNotificationRate {
  #left: number;
  #atMs: number;

  constructor(
    private readonly perSecond: number,
    private readonly monotonic: Monotonic,
  ) {
    this.#left = perSecond;
    this.#atMs = monotonic.elapsedMs();
  }

  take(): boolean {
    const nowMs = this.monotonic.elapsedMs();
    this.#left = Math.min(this.perSecond, this.#left + ((nowMs - this.#atMs) * this.perSecond) / SECOND_MS);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}

/** Above it, the gate's orders keep their inquiry schedule. */
export const UNVERIFIED_PER_SECOND_MAX = 100;
export const UNVERIFIED_WAITING_MAX = 1_024;
const LOOKS_MAX = 4;

export interface UnverifiedNotificationPorts {
  readonly contexts: Pick<OrderContexts, 'findByStream'>;
  readonly circuits: Pick<GateCircuits, 'isOpen'>;
  readonly requests: RequestIndex;
  readonly agenda: OrderAgenda;
  readonly monotonic: Monotonic;
  readonly listener: GateNotificationListener;
}

interface Hinted {
  readonly gate: GateAlias;
  readonly told: ReportedRequest;
}

/**
 * Takes unauthenticated hints: a hint only schedules a rate-limited inquiry. The log is read after the response, so its timing reveals nothing to the
 * sender.
 */
export class UnverifiedNotifications {
  readonly #rates = new Map<GateAlias, UnverifiedNotificationRate>();
  readonly #waiting = new Map<string, Hinted>();
  readonly #looking = new Set<string>();
  #onQuiet: (() => void)[] = [];

  constructor(private readonly ports: UnverifiedNotificationPorts) {}

  take(gate: GateAlias, told: ReportedRequest): void {
    const id = `${gate} ${told.stream ?? ''} ${told.key}`;
    if (this.#waiting.has(id) || this.#looking.has(id)) return;
    if (this.ports.circuits.isOpen(gate)) return this.#told(gate, 'circuit-open');
    if (this.#waiting.size >= UNVERIFIED_WAITING_MAX || !this.#rateOf(gate).take()) return this.#told(gate, 'limited');
    this.#waiting.set(id, { gate, told });
    this.#goOn();
  }

  quiet(): Promise<void> {
    return this.#looking.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onQuiet.push(resolve));
  }

  stop(): Promise<void> {
    this.#waiting.clear();
    return this.quiet();
  }

  #rateOf(gate: GateAlias): UnverifiedNotificationRate {
    const known = this.#rates.get(gate) ?? new UnverifiedNotificationRate(UNVERIFIED_PER_SECOND_MAX, this.ports.monotonic);
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
    const { contexts, requests, agenda, listener } = this.ports;
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
      listener.notificationFailed(gate, error, told.stream);
      this.#told(gate, 'failed');
    }
  }

  #told(gate: GateAlias, outcome: ReceivedReportOutcome): void {
    this.ports.listener.heard(gate, 'hint', outcome);
  }
}
