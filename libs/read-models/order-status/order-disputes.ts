import type { Instant } from '@app/kernel';
import type { OrderStatusView, ReportView } from './order-status.view';

export interface OrderDispute {
  /** `open`: the chargeback may be contested. */
  readonly state: 'open' | 'won' | 'lost';
  /** The latest chargeback of the case. */
  readonly chargeback: ReportView;
  /** The latest report of the case. */
  readonly changedAt: Instant;
}

/** Due after every day: an open dispute whose report has no last day. */
export const NO_DAY = Number.MAX_SAFE_INTEGER as Instant;

/** The chargeback cases of an order, in the order of their first reports. Reports that were set aside do not count. */
export const disputesOf = ({ reports = [] }: Pick<OrderStatusView, 'reports'>): readonly OrderDispute[] => {
  const cases = new Map<string, OrderDispute>();
  for (const report of reports) {
    const name = `${report.gate} ${report.reportId}`;
    const before = cases.get(name);
    if (report.misfit !== null) continue;
    if (report.kind === 'chargeback') cases.set(name, { state: 'open', chargeback: report, changedAt: report.receivedAt });
    else if (report.kind === 'representment' && before !== undefined && report.outcome !== null)
      cases.set(name, { ...before, state: report.outcome, changedAt: report.receivedAt });
  }
  return [...cases.values()];
};

interface DisputeColumns {
  readonly state: 'open' | 'over' | null;
  /** Open: the first day on which an answer is due; over: the latest report. */
  readonly at: number | null;
}

const NONE: DisputeColumns = { state: null, at: null };

export const disputeColumns = (view: Pick<OrderStatusView, 'reports'>): DisputeColumns => {
  if (view.reports === undefined) return NONE;
  const disputes = disputesOf(view);
  if (disputes.length === 0) return NONE;
  const open = disputes.filter(({ state }) => state === 'open');
  return open.length === 0
    ? { state: 'over', at: Math.max(...disputes.map(({ changedAt }) => changedAt)) }
    : { state: 'open', at: Math.min(...open.map(({ chargeback }) => chargeback.respondBy ?? NO_DAY)) };
};
