import { Counter, type Registry } from 'prom-client';
import type { AnyEvent } from '@app/event-store';
import { isDisputeEvent, needsAttention, reportKindOf, type DisputeEvent } from '@app/order-processing/domain';

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
