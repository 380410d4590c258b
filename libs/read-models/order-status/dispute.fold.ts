import type { Money } from '@app/kernel';
import type { DisputeEvent } from '@app/orders/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import type { ReportView } from './dispute.view';
import type { OrderStatusView } from './order-status.view';

type Own = Pick<ReportView, 'kind'> & Partial<Pick<ReportView, 'stage' | 'outcome' | 'shown' | 'misfit' | 'isAboveTaken' | 'callbacks'>>;

/** The members that are a kind's own. */
const ownOf = (event: DisputeEvent): Own => {
  switch (event.type) {
    case 'ReversalReported': {
      const { operation, isAboveTaken = false, callbacks } = event.data;
      return { kind: 'reversal', shown: { transactionType: operation, stage: `${operation}_approved` }, isAboveTaken, callbacks };
    }
    case 'ChargebackReceived': {
      const { stage, isAboveTaken = false, callbacks } = event.data;
      const shown = { transactionType: 'chargeback', stage: 'chargeback_approved' } as const;
      return { kind: 'chargeback', stage, shown, isAboveTaken, callbacks };
    }
    case 'RepresentmentReported': {
      const { stage, outcome, callbacks } = event.data;
      const shown = { transactionType: 'chargeback', stage: outcome === 'won' ? 'chargeback_rejected' : 'chargeback_approved' } as const;
      return { kind: 'representment', stage, outcome, shown, callbacks };
    }
    case 'FraudWarningReceived':
      return { kind: 'fraud-warning', callbacks: event.data.callbacks };
    case 'ReportSetAside': {
      const { kind, cause, stage = null, outcome = null } = event.data;
      return { kind, misfit: cause, stage, outcome };
    }
  }
};

const reportOf = (event: DisputeEvent, eventId: LogEvent['id']): ReportView => {
  const { gate, reportId, source, reasonCode = null, happenedAt = null, receivedAt } = event.data;
  const amount: Money | undefined = event.data.amount;
  return {
    gate,
    reportId,
    source,
    stage: null,
    outcome: null,
    amountMinor: amount?.minor.toString() ?? null,
    currency: amount?.currency ?? null,
    reasonCode,
    happenedAt,
    receivedAt,
    shown: null,
    misfit: null,
    isAboveTaken: false,
    callbacks: [],
    eventId,
    ...ownOf(event),
  };
};

/** The members of an order that a report changes: never the status; type and stage where it took effect on money. */
type Changed = Pick<OrderStatusView, 'reports' | 'transactionType' | 'stage'>;

/** @throws CannotApply where the event cannot follow what came before */
export const foldDispute = (
  { status, reports = [], transactionType, stage }: OrderStatusView,
  event: DisputeEvent,
  id: LogEvent['id'],
): Changed => {
  if (status !== 'approved' && event.type !== 'ReportSetAside') throw new CannotApply(`${event.type} of an order that is ${status}`);
  const report = reportOf(event, id);
  return { reports: [...reports, report], transactionType, stage, ...report.shown };
};
