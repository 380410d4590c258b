import type { ReactNode } from 'react';
import { REPORT_TEXTS } from '@app/investigation/words';
import type { Schemas } from '../../port';
import { Badge } from '../../ui/badge';
import { Money } from '../../ui/parts';
import { Empty } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';

type Report = Schemas['ReportSummary'];

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const SOURCES: Readonly<Record<Report['source'], string>> = { file: 'a file of the gate', gate: 'the gate', operator: 'an operator' };

const COLUMNS: readonly Column<Report>[] = [
  { key: 'kind', head: 'Report', cell: ({ kind, stage }) => `${capital(REPORT_TEXTS[kind])}${stage === null ? '' : `, ${stage} stage`}` },
  {
    key: 'outcome',
    head: 'State',
    cell: ({ outcome, misfit }) =>
      misfit !== null ? (
        <Badge tone="warn">Set aside: {misfit.replaceAll('-', ' ')}</Badge>
      ) : outcome === null ? null : (
        <Badge tone={outcome === 'won' ? 'ok' : 'bad'}>{capital(outcome)}</Badge>
      ),
  },
  {
    key: 'amount',
    head: 'Amount',
    isNumber: true,
    cell: ({ amount, currency }) => (amount === null || currency === null ? null : <Money amount={amount} currency={currency} />),
  },
  { key: 'respondBy', head: 'Answer due', cell: ({ respondBy }) => (respondBy === undefined ? null : <Time at={respondBy} />) },
  { key: 'case', head: 'Case', cell: ({ case: id, gate }) => `${id} at ${gate}` },
  { key: 'reason', head: 'Reason', cell: ({ reasonCode }) => reasonCode },
  { key: 'happened', head: 'Happened', cell: ({ happenedAt }) => (happenedAt === null ? null : <Time at={happenedAt} />) },
  { key: 'received', head: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  { key: 'source', head: 'From', cell: ({ source }) => SOURCES[source] },
];

/** Reversals, chargebacks, representments and fraud warnings of an order. */
export const DisputesTab = ({ order }: { readonly order: Schemas['ShownOrder'] }): ReactNode =>
  order.reports.length === 0 ? (
    <Empty title="No dispute">
      A chargeback, reversal or fraud warning of this order is shown here. An operator can record one from paper.
    </Empty>
  ) : (
    <Table
      caption="Disputes"
      columns={COLUMNS}
      rows={order.reports}
      rowKey={({ kind, case: id, stage, outcome, receivedAt }) => [kind, id, stage, outcome, receivedAt].join(' ')}
      isShort
    />
  );
