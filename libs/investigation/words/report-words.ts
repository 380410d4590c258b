import { unreachable } from '@app/kernel/decider';
import { printable } from '@app/kernel/values/printable';
import type { DisputeEvent, MisfitCause, ReportKind, ReportSource } from '@app/orders/events';
import { type EventWords, type ShownOf, sum, timeText } from './trail-event';

export const REPORT_TEXTS: Readonly<Record<ReportKind, string>> = {
  reversal: 'reversal',
  chargeback: 'chargeback',
  representment: 'representment',
  'fraud-warning': 'fraud warning',
};

const MISFIT_TEXTS: Readonly<Record<MisfitCause, string>> = {
  'order-not-final': 'the order has no outcome yet',
  'order-not-approved': 'the order was never approved',
  'other-gate': 'another gate approved the order',
  'other-attempt': 'another attempt approved the order',
  'currency-differs': 'its currency is not the order’s',
  'nothing-taken': 'nothing was taken of the payer',
  'more-than-taken': 'it is of more than was taken',
  'case-unknown': 'its chargeback was not reported yet',
  'contradicts-recorded': 'it contradicts what was reported before',
};

const SOURCE_TEXTS: Readonly<Record<ReportSource, string>> = {
  gate: 'by the gate itself',
  file: 'by a file of the gate',
  operator: 'by an operator',
};

const reportFacts = ({ data }: ShownOf<DisputeEvent>): readonly string[] => [
  `case ${printable(data.reportId)} of gate ${data.gate}`,
  ...(data.reasonCode === undefined ? [] : [`reason ${printable(data.reasonCode)}`]),
  ...(data.happenedAt === undefined ? [] : [`happened ${timeText(data.happenedAt)}`]),
  ...('respondBy' in data && data.respondBy !== undefined ? [`to be contested by ${timeText(data.respondBy)}`] : []),
  SOURCE_TEXTS[data.source],
  ...('isAboveTaken' in data && data.isAboveTaken === true ? ['more has gone back than was taken'] : []),
];

/** Of reversals, chargebacks and fraud warnings. */
export const reportWords = (event: ShownOf<DisputeEvent>): EventWords => {
  switch (event.type) {
    case 'ReversalReported': {
      const { operation, amount } = event.data;
      return { title: `gate reports a ${operation}`, facts: [sum(amount), ...reportFacts(event)], tone: 'bad' };
    }
    case 'ChargebackReceived': {
      const { stage, amount } = event.data;
      return { title: 'chargeback', facts: [sum(amount), `${stage} stage`, ...reportFacts(event)], tone: 'bad' };
    }
    case 'RepresentmentReported': {
      const { stage, outcome, amount } = event.data;
      const facts = [sum(amount), `${stage} stage`, ...reportFacts(event)];
      return { title: `chargeback ${outcome}`, facts, tone: outcome === 'won' ? 'good' : 'bad' };
    }
    case 'FraudWarningReceived': {
      const { amount } = event.data;
      return {
        title: 'fraud warning',
        facts: [...(amount === undefined ? [] : [sum(amount)]), 'no money moved', ...reportFacts(event)],
        tone: 'bad',
      };
    }
    case 'ReportSetAside': {
      const { kind, cause, amount } = event.data;
      const facts = [MISFIT_TEXTS[cause], ...(amount === undefined ? [] : [sum(amount)]), ...reportFacts(event), 'no change'];
      return { title: `${REPORT_TEXTS[kind]} set aside`, facts, tone: 'bad' };
    }
    default:
      return unreachable(event);
  }
};
