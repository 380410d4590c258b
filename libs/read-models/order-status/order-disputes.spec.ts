import { addMs } from '@app/kernel';
import { START } from '../testing/sample-orders';
import { disputeColumns, disputesOf, NO_DAY } from './order-disputes';
import type { ReportView } from './order-status.view';

const DAY_MS = 86_400_000;
const at = (day: number) => addMs(START, day * DAY_MS);
const report = (kind: ReportView['kind'], day: number, more: Partial<ReportView> = {}): ReportView =>
  ({ kind, gate: 'sim-a', reportId: 'CB-1', outcome: null, misfit: null, receivedAt: at(day), ...more }) as ReportView;
const columnsOf = (...reports: readonly ReportView[]) => disputeColumns({ reports });

describe('the disputes of an order', () => {
  it('contain no other reports, and no report that was set aside', () => {
    expect(disputeColumns({})).toStrictEqual({ state: null, at: null });
    expect(columnsOf(report('fraud-warning', 1), report('reversal', 2))).toStrictEqual({ state: null, at: null });
    expect(columnsOf(report('chargeback', 1, { misfit: 'other-gate' }))).toStrictEqual({ state: null, at: null });
  });

  it('are due on the earliest last day of an open case, and after every day without one', () => {
    expect(columnsOf(report('chargeback', 1))).toStrictEqual({ state: 'open', at: NO_DAY });
    expect(
      columnsOf(
        report('chargeback', 1, { respondBy: at(9) }),
        report('chargeback', 2, { reportId: 'CB-2', respondBy: at(5) }),
        report('chargeback', 3, { reportId: 'CB-3', respondBy: at(4) }),
        report('representment', 4, { reportId: 'CB-3', outcome: 'lost' }),
      ),
    ).toStrictEqual({ state: 'open', at: at(5) });
  });

  it('are over when each case is decided, and open again at a later stage', () => {
    const decided = [report('chargeback', 1, { respondBy: at(9) }), report('representment', 4, { outcome: 'won' })] as const;
    expect(columnsOf(...decided)).toStrictEqual({ state: 'over', at: at(4) });
    const again = report('chargeback', 6, { stage: 'second' });
    expect(columnsOf(...decided, again)).toStrictEqual({ state: 'open', at: NO_DAY });
    expect(disputesOf({ reports: [...decided, again] })).toMatchObject([{ state: 'open', chargeback: { stage: 'second' } }]);
  });
});
