import type { ReactNode } from 'react';
import { usePages } from '../../app/reading';
import { plural } from '../../format';
import { useSession } from '../../app/session';
import { port, type Schemas } from '../../port';
import { Badge, type Tone } from '../../ui/badge';
import { Choice, Money } from '../../ui/parts';
import type { Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { QueueList, TextFilter, useFilters } from './queue-list';

type Dispute = Schemas['ListedDispute'];

const PAGE = 100;
const SOON_DAYS = 3;

const dueOf = (daysLeft: number): readonly [tone: Tone, word: string] => {
  if (daysLeft < 0) return ['bad', `${plural(-daysLeft, 'day')} overdue`];
  if (daysLeft === 0) return ['bad', 'Due today'];
  return [daysLeft <= SOON_DAYS ? 'warn' : 'calm', `${plural(daysLeft, 'day')} left`];
};

const Due = ({ daysLeft, state }: Dispute): ReactNode => {
  if (state !== 'open') return <Badge tone={state === 'won' ? 'ok' : 'bad'}>{state === 'won' ? 'Won' : 'Lost'}</Badge>;
  if (daysLeft === null) return <Badge tone="calm">No day set</Badge>;
  const [tone, word] = dueOf(daysLeft);
  return <Badge tone={tone}>{word}</Badge>;
};

const COLUMNS: readonly Column<Dispute>[] = [
  { key: 'case', head: 'Case', cell: (dispute) => dispute.case },
  { key: 'due', head: 'State', cell: (dispute) => <Due {...dispute} /> },
  { key: 'respondBy', head: 'Answer by', cell: ({ respondBy }) => respondBy ?? '—' },
  {
    key: 'amount',
    head: 'Amount',
    isNumber: true,
    cell: ({ amount, currency }) => (amount === null || currency === null ? '—' : <Money amount={amount} currency={currency} />),
  },
  { key: 'reason', head: 'Reason code', cell: ({ reasonCode }) => reasonCode ?? '—' },
  { key: 'stage', head: 'Stage', cell: ({ stage }) => stage ?? '—' },
  { key: 'order', head: 'Order', cell: ({ orderId }) => orderId },
  { key: 'merchant', head: 'Merchant', cell: ({ merchant }) => merchant },
  { key: 'gate', head: 'Gate', cell: ({ gate }) => gate },
  { key: 'received', head: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];

/** Chargebacks, those first whose answer is due first. */
export const DisputesQueue = (): ReactNode => {
  const { can } = useSession();
  const { filters, set } = useFilters('disputes');
  const { merchant, over } = filters;
  const pages = usePages({
    key: ['/disputes', filters],
    ask: (cursor, signal) =>
      port.GET('/disputes', {
        signal,
        params: {
          query: {
            limit: PAGE,
            state: over === true ? 'over' : 'open',
            ...(merchant !== undefined && { merchant }),
            ...(cursor !== undefined && { cursor }),
          },
        },
      }),
  });
  return (
    <QueueList
      queue="disputes"
      caption={over === true ? 'Disputes won or lost' : 'Open disputes, the next due first'}
      pages={pages}
      rowsOf={({ disputes }) => disputes}
      indexOf={({ index }) => index}
      columns={COLUMNS}
      rowKey={({ orderId, case: id }) => `${orderId} ${id}`}
      rowLink={
        can('investigator')
          ? ({ orderId }) => ({ to: '/orders/$orderId', params: { orderId }, search: { tab: 'disputes' as const } })
          : undefined
      }
      chips={merchant === undefined ? [] : [{ key: 'merchant', label: 'Merchant', value: merchant }]}
      emptyTitle={over === true ? 'No dispute is won or lost yet' : 'No dispute waits for an answer'}
      emptyText="A chargeback comes from a gate’s report, a file, or an operator who records a notice on its order."
      tools={
        <>
          <Choice
            label="State"
            value={over === true ? 'over' : 'open'}
            options={[
              ['open', 'To answer'],
              ['over', 'Won or lost'],
            ]}
            onChange={(value) => set({ over: value === 'over' ? true : undefined })}
          />
          <TextFilter label="Merchant" value={merchant} onChange={(value) => set({ merchant: value })} />
        </>
      }
    />
  );
};
