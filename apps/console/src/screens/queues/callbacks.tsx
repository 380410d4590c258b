import { useState, type ReactNode } from 'react';
import { usePages } from '../../app/reading';
import { useSession } from '../../app/session';
import { count, instant } from '../../format';
import { answerOf, port, type Schemas } from '../../port';
import { ActionDialog } from '../../ui/action-dialog';
import { Badge, type Tone } from '../../ui/badge';
import type { Chip } from '../../ui/parts';
import type { Column } from '../../ui/table';
import { Age, Time } from '../../ui/time';
import { DELIVERY_STATES, TARGETS } from '../queues.search';
import { BulkResend } from './bulk-resend';
import { QueueList, refresh, SelectFilter, TextFilter, TimeFilter, useFilters } from './queue-list';

type Delivery = Schemas['ListedDelivery'];

const PAGE = 200;

const STATUSES: Readonly<Record<Delivery['status'], readonly [tone: Tone, word: string]>> = {
  delivered: ['ok', 'Delivered'],
  exhausted: ['bad', 'Given up'],
  waiting: ['warn', 'Waiting'],
};
const STATE_WORDS: Readonly<Record<(typeof DELIVERY_STATES)[number], string>> = {
  failed: 'Waiting or given up',
  waiting: 'Waiting',
  exhausted: 'Given up',
};
const TARGET_WORDS: Readonly<Record<(typeof TARGETS)[number], string>> = {
  callback: 'Callback of the request',
  notify: 'Merchant’s own address',
  notification: 'Card notification',
};

const reload = (): void => refresh('/deliveries');

/** Callbacks that no merchant accepted so far. */
export const CallbacksQueue = (): ReactNode => {
  const { can } = useSession();
  const { filters, set } = useFilters('callbacks');
  const { merchant, state, target, since, until } = filters;
  const [resent, setResent] = useState<Delivery>();
  const [isBulk, setBulk] = useState(false);
  const filter = {
    state: state ?? ('failed' as const),
    ...(merchant !== undefined && { merchant }),
    ...(target !== undefined && { target }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
  const pages = usePages({
    key: ['/deliveries', filter],
    ask: (cursor, signal) =>
      port.GET('/deliveries', { signal, params: { query: { ...filter, limit: PAGE, ...(cursor !== undefined && { cursor }) } } }),
  });
  const chips: readonly Chip[] = [
    ...(state === undefined ? [] : [{ key: 'state', label: 'State', value: STATE_WORDS[state] }]),
    ...(merchant === undefined ? [] : [{ key: 'merchant', label: 'Merchant', value: merchant }]),
    ...(target === undefined ? [] : [{ key: 'target', label: 'Kind', value: TARGET_WORDS[target] }]),
    ...(since === undefined ? [] : [{ key: 'since', label: 'Since', value: instant(since) }]),
    ...(until === undefined ? [] : [{ key: 'until', label: 'Before', value: instant(until) }]),
  ];
  const columns: readonly Column<Delivery>[] = [
    { key: 'order', head: 'Order', cell: ({ orderId }) => orderId ?? '—' },
    { key: 'age', head: 'Failing for', cell: ({ firstAttemptAt }) => <Age since={firstAttemptAt} /> },
    {
      key: 'state',
      head: 'State',
      cell: ({ status }) => {
        const [tone, word] = STATUSES[status];
        return <Badge tone={tone}>{word}</Badge>;
      },
    },
    { key: 'result', head: 'Latest result', isText: true, cell: ({ lastResult }) => lastResult ?? '—' },
    { key: 'attempts', head: 'Attempts', isNumber: true, cell: ({ attempts }) => count(attempts) },
    {
      key: 'next',
      head: 'Next attempt',
      cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? 'none' : <Time at={nextAttemptAt} isRelative />),
    },
    { key: 'merchant', head: 'Merchant', cell: (delivery) => delivery.merchant },
    { key: 'target', head: 'Kind', cell: (delivery) => TARGET_WORDS[delivery.target] },
    ...(can('operator')
      ? [
          {
            key: 'act',
            head: <span className="hidden">Action</span>,
            cell: (delivery: Delivery) => (
              <button
                type="button"
                aria-label={`Resend the callback of order ${delivery.orderId ?? delivery.deliveryId}`}
                onClick={() => setResent(delivery)}
              >
                Resend
              </button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <QueueList
        queue="callbacks"
        caption="Failed callbacks, oldest first"
        pages={pages}
        rowsOf={({ deliveries }) => deliveries}
        indexOf={({ index }) => index}
        columns={columns}
        rowKey={({ deliveryId }) => deliveryId}
        rowLink={
          can('investigator')
            ? ({ orderId }) =>
                orderId === null ? undefined : { to: '/orders/$orderId', params: { orderId }, search: { tab: 'callbacks' } }
            : undefined
        }
        chips={chips}
        emptyTitle="Every callback was delivered"
        emptyText="No merchant waits for one."
        tools={
          <>
            <SelectFilter
              label="State"
              value={state}
              all={STATE_WORDS.failed}
              options={DELIVERY_STATES.filter((one) => one !== 'failed').map((one) => [one, STATE_WORDS[one]])}
              onChange={(value) => set({ state: value })}
            />
            <TextFilter label="Merchant" value={merchant} onChange={(value) => set({ merchant: value })} />
            <SelectFilter
              label="Kind"
              value={target}
              all="All kinds"
              options={TARGETS.map((one) => [one, TARGET_WORDS[one]])}
              onChange={(value) => set({ target: value })}
            />
            <TimeFilter label="First sent since" value={since} onChange={(value) => set({ since: value })} />
            <TimeFilter label="Before" value={until} onChange={(value) => set({ until: value })} />
            {can('operator') ? (
              <button type="button" className="queue-act" onClick={() => setBulk(true)}>
                Resend all of this filter
              </button>
            ) : null}
          </>
        }
      />
      {isBulk ? <BulkResend filter={filter} chips={chips} onDone={reload} onClose={() => setBulk(false)} /> : null}
      {resent === undefined ? null : (
        <ActionDialog
          title="Resend a callback"
          verb="Resend"
          effect={`Sends the same bytes with the same webhook-id to ${resent.merchant} again, at once. The latest result was: ${resent.lastResult ?? 'none'}.`}
          onSubmit={({ reason }) =>
            answerOf(
              port.POST('/deliveries/{deliveryId}/resend', { params: { path: { deliveryId: resent.deliveryId } }, body: { reason } }),
            )
          }
          onDone={reload}
          onClose={() => setResent(undefined)}
          doneText="The callback is due again"
        />
      )}
    </>
  );
};
