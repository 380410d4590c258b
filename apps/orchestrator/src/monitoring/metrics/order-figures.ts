import { Counter, Histogram, type Registry } from 'prom-client';
import { ANSWER_SECONDS } from '@app/http/server';
import { categoryOf, type AnyEvent, type StreamName } from '@app/event-store';
import type { OpenOrder } from '@app/orders';
import { isEventOf, needsAttention, REPORT_KINDS, reportKindOf, REPRESENTMENT_OUTCOMES, type DisputeEvent } from '@app/orders/domain';

/** Operation and outcome come from fixed lists, never from the request. */
export interface FiguredRequest {
  readonly operation: string;
  readonly outcome: string;
  readonly durationMs: number;
}

const ALARMING_OUTCOMES = ['internal', 'acceptance-unknown'];

export class RequestFigures {
  readonly #served: Counter;
  readonly #duration: Histogram;
  /** By operation and outcome: cheaper than a lookup by labels. */
  readonly #labelled = new Map<string, { readonly served: Counter.Internal; readonly duration: Histogram.Internal<string> }>();

  /** @param operations of the group; each starts at 0, so that Prometheus sees its first increase */
  constructor(group: 'a' | 'b', operations: readonly string[], registry: Registry) {
    this.#served = new Counter({
      name: `orchestrator_group_${group}_requests_total`,
      help: `Group ${group.toUpperCase()} requests, by operation and outcome`,
      labelNames: ['operation', 'outcome'],
      registers: [registry],
    });
    this.#duration = new Histogram({
      name: `orchestrator_group_${group}_request_seconds`,
      help: 'Time from the first byte of a request to the answer',
      labelNames: ['operation'],
      buckets: ANSWER_SECONDS,
      registers: [registry],
    });
    for (const operation of operations) for (const outcome of ALARMING_OUTCOMES) this.#served.inc({ operation, outcome }, 0);
  }

  served({ operation, outcome, durationMs }: FiguredRequest): void {
    const name = `${operation} ${outcome}`;
    let labelled = this.#labelled.get(name);
    if (labelled === undefined) {
      labelled = { served: this.#served.labels(operation, outcome), duration: this.#duration.labels(operation) };
      this.#labelled.set(name, labelled);
    }
    labelled.served.inc();
    labelled.duration.observe(durationMs / 1_000);
  }
}

const KINDS = REPORT_KINDS.flatMap((kind) =>
  kind === 'representment' ? REPRESENTMENT_OUTCOMES.map((outcome) => `${kind}-${outcome}`) : [kind],
);
const ATTENTION_OUTCOMES = ['set-aside', 'above-taken'];

const kindOf = (event: DisputeEvent): string =>
  'outcome' in event.data && event.data.outcome !== undefined ? `${reportKindOf(event)}-${event.data.outcome}` : reportKindOf(event);

const outcomeOf = (event: DisputeEvent): string => {
  if (event.type === 'ReportSetAside') return 'set-aside';
  return needsAttention(event) ? 'above-taken' : 'recorded';
};

/**
 * Reports of gates after the end of orders. Each process counts only the events that it appended. A report that needs attention may count
 * twice if the log did not answer its append.
 */
class DisputeFigures {
  readonly #reports: Counter;
  readonly #money: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#reports = new Counter({
      name: 'orchestrator_dispute_reports_total',
      help: 'Reversals, chargebacks, representments and fraud warnings that gates reported, by gate, kind and outcome',
      labelNames: ['gate', 'kind', 'outcome'],
      registers,
    });
    this.#money = new Counter({
      name: 'orchestrator_dispute_reports_minor_units_total',
      help: 'Total amount of the recorded reports, in minor units of each currency',
      labelNames: ['kind', 'currency'],
      registers,
    });
  }

  startAtZero(gate: string): void {
    for (const kind of KINDS) for (const outcome of ATTENTION_OUTCOMES) this.#reports.inc({ gate, kind, outcome }, 0);
  }

  moved(events: readonly AnyEvent[]): void {
    for (const event of events) {
      if (!isEventOf(event, 'report')) continue;
      const kind = kindOf(event);
      this.#reports.inc({ gate: event.data.gate, kind, outcome: outcomeOf(event) });
      const { amount } = event.data;
      if (event.type !== 'ReportSetAside' && amount !== undefined)
        this.#money.inc({ kind, currency: amount.currency }, Number(amount.minor));
    }
  }
}

const ORDER_OUTCOMES: Readonly<Record<string, string>> = {
  OrderApproved: 'approved',
  OrderDeclined: 'declined',
  OrderFiltered: 'filtered',
  OrderFailed: 'failed',
};
const FOLLOW_UP_OUTCOMES: Readonly<Record<string, string>> = {
  FollowUpApproved: 'approved',
  FollowUpDeclined: 'declined',
  FollowUpFailed: 'failed',
};

const followUpOutcome = ({ type, data }: AnyEvent): string | undefined =>
  type === 'FollowUpSettled' ? (data as { readonly as: string }).as : FOLLOW_UP_OUTCOMES[type];

/** Each process counts only the events that it appended, so that the sum counts each event once. */
export class OrderFigures {
  readonly #accepted: Counter;
  readonly #ended: Counter;
  readonly #followUps: Counter;
  readonly #disputes: DisputeFigures;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#disputes = new DisputeFigures(registry);
    this.#accepted = new Counter({
      name: 'orchestrator_orders_accepted_total',
      help: 'Orders accepted, by kind',
      labelNames: ['kind'],
      registers,
    });
    this.#ended = new Counter({
      name: 'orchestrator_orders_ended_total',
      help: 'Orders that became final, by kind and outcome',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.#followUps = new Counter({
      name: 'orchestrator_follow_ups_ended_total',
      help: 'Captures, returns and voids that became final, by operation and outcome',
      labelNames: ['operation', 'outcome'],
      registers,
    });
  }

  startAtZero(gate: string): void {
    this.#disputes.startAtZero(gate);
  }

  accepted(stream: StreamName): void {
    this.#accepted.inc({ kind: categoryOf(stream) });
  }

  moved({ stream, processing }: Pick<OpenOrder, 'stream' | 'processing'>, events: readonly AnyEvent[]): void {
    this.#disputes.moved(events);
    for (const event of events) {
      const outcome = ORDER_OUTCOMES[event.type];
      if (outcome !== undefined) {
        this.#ended.inc({ kind: categoryOf(stream), outcome });
        continue;
      }
      const followedUp = followUpOutcome(event);
      if (followedUp === undefined) continue;
      const { number } = event.data as { readonly number: number };
      const operation = processing.followUps[number - 1]?.operation ?? 'unknown';
      this.#followUps.inc({ operation, outcome: followedUp });
    }
  }
}
