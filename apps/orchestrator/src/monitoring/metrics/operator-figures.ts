import { Counter, type Registry } from 'prom-client';
import {
  OPERATOR_ACTIONS,
  REFUSAL_CAUSES,
  type OperatorAction,
  type OperatorAuditWatch,
  type RefusalCause,
} from '@app/investigation/record';

/** What operators do at the port of this process. */
export class OperatorFigures implements Omit<OperatorAuditWatch, 'unwritten'> {
  readonly #actions: Counter;
  readonly #reveals: Counter;
  readonly #refusals: Counter;

  constructor(registry: Registry) {
    const counter = (name: string, help: string, labelNames: readonly string[]): Counter =>
      new Counter({ name: `orchestrator_operator_${name}_total`, help, labelNames: [...labelNames], registers: [registry] });
    this.#actions = counter('actions', 'Actions of operators that were recorded and begun', ['action']);
    this.#reveals = counter('reveals', 'Answers to operators with personal data', []);
    this.#refusals = counter('refusals', 'Requests at the operator port that were refused before they were read', ['cause']);
    // Prometheus sees the first increase of a counter only if it was scraped as 0 before.
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
