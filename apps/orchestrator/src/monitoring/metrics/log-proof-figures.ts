import { Counter, Gauge, type Registry } from 'prom-client';
import type { LogProofsHealth } from '@app/investigation';
import type { Clock } from '@app/kernel';
import {
  OPERATOR_ACTIONS,
  REFUSAL_CAUSES,
  type OperatorAction,
  type OperatorAuditListener,
  type RefusalCause,
} from '@app/investigation/record';

export class LogProofFigures {
  readonly #alarms: Counter;
  readonly #witnesses: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#alarms = new Counter({
      name: 'orchestrator_log_proof_alarms_total',
      help: 'Failed verifications of the event log against its signatures or Merkle tree',
      registers,
    });
    this.#witnesses = new Counter({
      name: 'orchestrator_log_witness_failures_total',
      help: 'Failed requests to a witness of the event log',
      registers,
    });
  }

  inconsistent(): void {
    this.#alarms.inc();
  }

  witnessFailed(): void {
    this.#witnesses.inc();
  }

  watch(registry: Registry, clock: Clock, health: () => LogProofsHealth | undefined): void {
    const gauge = (name: string, help: string, read: (now: LogProofsHealth) => number): void => {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          const now = health();
          this.set(now === undefined ? 0 : read(now));
        },
      });
    };
    gauge('orchestrator_log_tree_events', 'Events in this process’s Merkle tree of the event log', ({ treeSize }) => treeSize);
    gauge(
      'orchestrator_log_checkpoint_events',
      'Events covered by the last checkpoint that this process signed',
      ({ checkpoint }) => checkpoint?.size ?? 0,
    );
    gauge(
      'orchestrator_log_checkpoint_age_seconds',
      'Age of the oldest event without a signed checkpoint, or time since the tree could not be updated; 0 if all events are covered',
      ({ waitingSince }) => (waitingSince === undefined ? 0 : Math.max(0, (clock.now() - waitingSince) / 1_000)),
    );
    gauge(
      'orchestrator_log_signing',
      '1 if checkpoints are signed, 0 if there is no signing key or verification failed',
      ({ isSigning, fault }) => (isSigning && fault === undefined ? 1 : 0),
    );
    gauge('orchestrator_log_inconsistent', '1 while verification of the event log fails (signature or Merkle tree)', ({ fault }) =>
      fault === undefined ? 0 : 1,
    );
  }
}

export class OperatorFigures implements Omit<OperatorAuditListener, 'unwritten'> {
  readonly #actions: Counter;
  readonly #reveals: Counter;
  readonly #refusals: Counter;

  constructor(registry: Registry) {
    const counter = (name: string, help: string, labelNames: readonly string[]): Counter =>
      new Counter({ name: `orchestrator_operator_${name}_total`, help, labelNames: [...labelNames], registers: [registry] });
    this.#actions = counter('actions', 'Operator actions that were recorded and started', ['action']);
    this.#reveals = counter('reveals', 'Answers to operators that contain personal data', []);
    this.#refusals = counter('refusals', 'Requests at the operator port that were refused before their content was read', ['cause']);
    // Prometheus sees the first increase of a counter only if an earlier scrape showed 0.
    for (const action of OPERATOR_ACTIONS) this.#actions.inc({ action }, 0);
    for (const cause of REFUSAL_CAUSES) this.#refusals.inc({ cause }, 0);
  }

  acted(action: OperatorAction): void {
    this.#actions.inc({ action });
  }

  revealed(): void {
    this.#reveals.inc();
  }

  refused(cause: RefusalCause): void {
    this.#refusals.inc({ cause });
  }
}
