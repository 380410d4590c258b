import { Counter, type Registry } from 'prom-client';
import type { AnyEvent } from '@app/event-store';
import { isDisputeEvent, needsAttention, REPORT_KINDS, reportKindOf, REPRESENTMENT_OUTCOMES, type DisputeEvent } from '@app/orders/domain';

const KINDS = REPORT_KINDS.flatMap((kind) =>
  kind === 'representment' ? REPRESENTMENT_OUTCOMES.map((outcome) => `${kind}-${outcome}`) : [kind],
);
const ATTENTION_OUTCOMES = ['set-aside', 'above-taken'];

/** As `representment-won` where the report has an outcome. */
const kindOf = (event: DisputeEvent): string =>
  'outcome' in event.data && event.data.outcome !== undefined ? `${reportKindOf(event)}-${event.data.outcome}` : reportKindOf(event);

const outcomeOf = (event: DisputeEvent): string => {
  if (event.type === 'ReportSetAside') return 'set-aside';
  return needsAttention(event) ? 'above-taken' : 'recorded';
};

/** What gates report after the end of orders; each process counts the events that it appended itself. */
export class DisputeFigures {
  readonly #reports: Counter;
  readonly #money: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#reports = new Counter({
      name: 'orchestrator_dispute_reports_total',
      help: 'Reversals, chargebacks, representments and fraud warnings that gates reported, and what became of each report',
      labelNames: ['gate', 'kind', 'outcome'],
      registers,
    });
    this.#money = new Counter({
      name: 'orchestrator_dispute_reports_minor_units_total',
      help: 'Sums of the reports that were recorded, in minor units of each currency',
      labelNames: ['kind', 'currency'],
      registers,
    });
  }

  startAtZero(gate: string): void {
    for (const kind of KINDS) for (const outcome of ATTENTION_OUTCOMES) this.#reports.inc({ gate, kind, outcome }, 0);
  }

  moved(events: readonly AnyEvent[]): void {
    for (const event of events) {
      if (!isDisputeEvent<AnyEvent>(event)) continue;
      const kind = kindOf(event);
      this.#reports.inc({ gate: event.data.gate, kind, outcome: outcomeOf(event) });
      const { amount } = event.data;
      if (event.type !== 'ReportSetAside' && amount !== undefined)
        this.#money.inc({ kind, currency: amount.currency }, Number(amount.minor));
    }
  }
}
