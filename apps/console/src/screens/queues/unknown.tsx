import { useState, type ReactNode } from 'react';
import { usePages, useReading } from '../../app/reading';
import { useSession } from '../../app/session';
import { instant } from '../../format';
import { port, type Schemas } from '../../port';
import { Badge } from '../../ui/badge';
import { Money } from '../../ui/parts';
import { Notice } from '../../ui/states';
import type { Column } from '../../ui/table';
import { Age, Time } from '../../ui/time';
import { ResolveForm } from '../order/actions';
import { FOLLOW_UPS, statusOf, UNKNOWN } from '../order/order-words';
import { QueueList, refresh, TextFilter, TimeFilter, useFilters } from './queue-list';

type UnknownOrder = Schemas['ListedUnknown']['orders'][number];

const PAGE = 100;

/** The unknown follow-up, if it is not the payment. */
const unknownFollowUp = (order: UnknownOrder): string | undefined => {
  const followUp = order.followUps.find(({ status }) => status === UNKNOWN);
  return statusOf(order) === UNKNOWN || followUp === undefined ? undefined : `Its ${FOLLOW_UPS[followUp.operation].toLowerCase()}`;
};

/** The figure of the overview, which knows no filters. */
const Sums = (): ReactNode => {
  const { data } = useReading({ key: ['/overview'], ask: (signal) => port.GET('/overview', { signal }), live: 'all' });
  const unknown = data?.unknownOutcomes;
  if (unknown == null || unknown.amounts.length === 0) return null;
  return (
    <p className="sums">
      {unknown.isAtLeast === true ? 'At least' : 'In total'}
      {unknown.amounts.map(({ currency, amount }) => (
        <strong key={currency}>
          <Money amount={amount} currency={currency} />
        </strong>
      ))}
    </p>
  );
};

/** Orders with an unknown outcome, now or as of a moment. */
export const UnknownQueue = (): ReactNode => {
  const { can } = useSession();
  const { filters, set } = useFilters('unknown');
  const { merchant, at } = filters;
  const [resolved, setResolved] = useState<UnknownOrder>();
  const query = { limit: PAGE, ...(merchant !== undefined && { merchant }) };
  const pages = usePages<{ readonly orders: readonly UnknownOrder[]; readonly next?: string; readonly index?: 'behind' | 'missing' }>({
    key: ['/orders/unknown', filters],
    ask: (cursor, signal) =>
      at === undefined
        ? port.GET('/orders/unknown', { signal, params: { query: { ...query, ...(cursor !== undefined && { cursor }) } } })
        : port.GET('/audit/orders/unknown', {
            signal,
            params: { query: { ...query, knownAt: at, ...(cursor !== undefined && { after: cursor }) } },
          }),
  });
  const columns: readonly Column<UnknownOrder>[] = [
    { key: 'order', head: 'Order', cell: ({ orderId }) => orderId },
    { key: 'amount', head: 'Amount', isNumber: true, cell: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
    { key: 'gate', head: 'Gate', cell: ({ gate }) => gate ?? '—' },
    {
      key: 'since',
      head: at === undefined ? 'Unknown for' : 'Unknown since',
      cell: (order) => {
        const { unknownSince } = order;
        const followUp = unknownFollowUp(order);
        return (
          <>
            {unknownSince === undefined ? '—' : at === undefined ? <Age since={unknownSince} /> : <Time at={unknownSince} />}
            {followUp === undefined ? null : (
              <>
                {' '}
                <Badge tone="unknown">{followUp}</Badge>
              </>
            )}
          </>
        );
      },
    },
    { key: 'merchant', head: 'Merchant', cell: (order) => order.merchant },
    { key: 'card', head: 'Card', cell: ({ card }) => (card === null ? '—' : `${card.bin}…${card.lastFour}`) },
    ...(at === undefined && can('operator')
      ? [
          {
            key: 'act',
            head: <span className="hidden">Action</span>,
            cell: (order: UnknownOrder) => (
              <button type="button" aria-label={`Resolve the outcome of order ${order.orderId}`} onClick={() => setResolved(order)}>
                Resolve
              </button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <QueueList
        queue="unknown"
        caption={at === undefined ? 'Orders with an unknown outcome, the longest unknown first' : 'Orders with an unknown outcome then'}
        pages={pages}
        rowsOf={({ orders }) => orders}
        indexOf={({ index }) => index}
        columns={columns}
        rowKey={({ merchant: login, orderId }) => `${login} ${orderId}`}
        rowLink={
          can('investigator')
            ? ({ orderId }) => ({
                to: '/orders/$orderId',
                params: { orderId },
                search: at === undefined ? { tab: 'attempts' as const } : { at },
              })
            : undefined
        }
        chips={[
          ...(merchant === undefined ? [] : [{ key: 'merchant', label: 'Merchant', value: merchant }]),
          ...(at === undefined ? [] : [{ key: 'at', label: 'As of', value: instant(at) }]),
        ]}
        emptyTitle="Every outcome is known"
        emptyText="No gate owes the service an answer."
        tools={
          <>
            <TextFilter label="Merchant" value={merchant} onChange={(value) => set({ merchant: value })} />
            {can('investigator') ? <TimeFilter label="As of" value={at} onChange={(value) => set({ at: value })} /> : null}
          </>
        }
      >
        {at === undefined ? (
          merchant === undefined && <Sums />
        ) : (
          <Notice tone="info" icon="clock" title={`As the service knew it at ${instant(at)}`}>
            The outcomes may be known by now. An order opens at this moment.
          </Notice>
        )}
      </QueueList>
      {resolved === undefined ? null : (
        <ResolveForm order={resolved} onClose={() => setResolved(undefined)} onResolved={() => refresh('/orders/unknown')} />
      )}
    </>
  );
};
