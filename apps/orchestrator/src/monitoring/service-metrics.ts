import { Counter, Gauge, Registry } from 'prom-client';
import type { TriedCallback } from '@app/callbacks';
import { GROUP_A_OPERATIONS, GROUP_B_OPERATIONS } from '@app/gateway-protocol';
import { systemClock, systemMonotonic, systemScheduler, type Clock, type Monotonic, type Scheduler } from '@app/kernel';
import type { OrderNumbersUsed } from '@app/orders';
import { openPools } from '@app/databases/postgres';
import { GateFigures } from './metrics/gate-figures';
import { LogProofFigures, OperatorFigures } from './metrics/log-proof-figures';
import { OrderFigures, RequestFigures, type FiguredRequest } from './metrics/order-figures';
import { watchPools, OpenCountFigures, type OpenCountSource } from './metrics/live-figures';

export interface ServiceState {
  readonly cvvHeld: number;
  readonly cvvHeldMax: number;
  readonly workInFlight: number;
  readonly workInFlightMax: number;
  readonly projectionBehindMs: number;
}

const GROUP_A_NAMES = Object.values(GROUP_A_OPERATIONS).map(({ name }) => name);

interface MetricsTime {
  readonly clock: Clock;
  /** Unaffected by corrections of the wall clock. */
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

/** Label values come from fixed lists and the configuration, never from a request. */
export class ServiceMetrics {
  readonly registry = new Registry();
  readonly gates: GateFigures;
  readonly orders = new OrderFigures(this.registry);
  readonly operators = new OperatorFigures(this.registry);
  readonly logProofs = new LogProofFigures(this.registry);
  readonly #requests: Readonly<Record<'a' | 'b', RequestFigures>>;
  readonly #ambiguousSignatures: Counter;
  readonly #callbacks: Counter;
  readonly #orderErrors: Counter;
  readonly #contradictions: Counter;
  readonly #heard: Counter;
  readonly #corruptRows: Counter;
  readonly #orderNumbers: Gauge;
  readonly #time: MetricsTime;

  constructor(time: MetricsTime = { clock: systemClock, monotonic: systemMonotonic, scheduler: systemScheduler }) {
    this.#time = time;
    this.gates = new GateFigures(this.registry, () => time.monotonic.elapsedMs());
    const registers = [this.registry];
    this.#requests = {
      a: new RequestFigures('a', GROUP_A_NAMES, this.registry),
      b: new RequestFigures('b', Object.keys(GROUP_B_OPERATIONS), this.registry),
    };
    this.#ambiguousSignatures = new Counter({
      name: 'orchestrator_group_b_ambiguous_signatures_total',
      help: 'Accepted orders with an ambiguous signed text: it also splits into other valid members',
      registers,
    });
    this.#callbacks = new Counter({
      name: 'orchestrator_callback_tries_total',
      help: 'Attempts to deliver callbacks, by merchant and outcome (exhausted: the last attempt failed)',
      labelNames: ['merchant', 'outcome'],
      registers,
    });
    this.#orderErrors = new Counter({
      name: 'orchestrator_order_errors_total',
      help: 'Failures of background work on orders; the work is retried',
      registers,
    });
    this.#contradictions = new Counter({
      name: 'orchestrator_gate_contradictions_total',
      help: 'Gate answers that contradict the recorded outcome of an order or follow-up',
      registers,
    });
    this.#heard = new Counter({
      name: 'orchestrator_gate_reports_total',
      help: 'Reports that gates sent without an inquiry, by gate, kind and outcome',
      labelNames: ['gate', 'kind', 'outcome'],
      registers,
    });
    this.#corruptRows = new Counter({
      name: 'orchestrator_rotten_rows_total',
      help: 'Corrupt read-model rows, which were projected again',
      registers,
    });
    this.#orderNumbers = new Gauge({
      name: 'orchestrator_order_numbers_used_ratio',
      help: 'Share of a kind’s order numbers that is used, as of the last block that this process reserved',
      labelNames: ['kind'],
      registers,
    });
  }

  /** Starts the counters of alert rules at 0, so that Prometheus sees their first increase. */
  startAtZero(gates: readonly string[], merchants: readonly string[]): void {
    for (const merchant of merchants)
      for (const outcome of ['delivered', 'failed', 'exhausted']) this.#callbacks.inc({ merchant, outcome }, 0);
    for (const gate of gates) {
      this.#heard.inc({ gate, kind: 'outcome', outcome: 'never-known' }, 0);
      this.orders.startAtZero(gate);
    }
  }

  served(request: FiguredRequest, group: 'a' | 'b'): void {
    this.#requests[group].served(request);
  }

  signatureAmbiguous(): void {
    this.#ambiguousSignatures.inc();
  }

  callbackTried({ merchant, outcome, isExhausted }: Pick<TriedCallback, 'merchant' | 'outcome' | 'isExhausted'>): void {
    this.#callbacks.inc({ merchant, outcome: isExhausted ? 'exhausted' : outcome === 'delivered' ? outcome : 'failed' });
  }

  orderFailed(): void {
    this.#orderErrors.inc();
  }

  gateContradicted(): void {
    this.#contradictions.inc();
  }

  gateReported(gate: string, kind: string, outcome: string): void {
    this.#heard.inc({ gate, kind, outcome });
  }

  rowCorrupt(): void {
    this.#corruptRows.inc();
  }

  orderNumbersUsed({ kind, used, of }: OrderNumbersUsed): void {
    this.#orderNumbers.set({ kind }, used / of);
  }

  watch(state: () => ServiceState, stored: readonly OpenCountSource[]): void {
    const registers = [this.registry];
    const gauge = (name: string, help: string, read: (now: ServiceState) => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read(state()));
        },
      });
    };
    gauge('orchestrator_cvv_held', 'Orders whose CVV is held in memory until the submit', ({ cvvHeld }) => cvvHeld);
    gauge('orchestrator_cvv_held_max', 'Maximum number of CVVs held in memory', ({ cvvHeldMax }) => cvvHeldMax);
    gauge('orchestrator_work_in_flight', 'Work items in progress', ({ workInFlight }) => workInFlight);
    gauge('orchestrator_work_in_flight_max', 'Maximum number of work items in progress', ({ workInFlightMax }) => workInFlightMax);
    gauge(
      'orchestrator_projection_behind_seconds',
      'How long the read models have lagged behind the event log',
      (now) => now.projectionBehindMs / 1_000,
    );
    watchPools(this.registry, openPools);
    const figures = new OpenCountFigures(this.registry, this.#time.clock, this.#time.scheduler);
    for (const source of stored) figures.watch(this.registry, source);
  }
}
