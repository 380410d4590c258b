import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { queries, usePages, useReading } from '../../app/reading';
import { count, plural } from '../../format';
import { answerOf, port, PortRefusal, type Schemas } from '../../port';
import { Badge } from '../../ui/badge';
import { Section } from '../../ui/page';
import { Facts, LoadMore, Money, Tabs } from '../../ui/parts';
import { CutShort, Empty, Notice, Result } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { alarm, tell } from '../../ui/toasts';
import { endText, STATES } from '../what-if-words';
import { rangeOf, ResultTables } from './result';

type WhatIfRun = Schemas['WhatIfJson'];
type Differing = Schemas['WhatIfOrderJson'];

const route = getRouteApi('/what-if');

const FAST_MS = 1_000;
const SLOW_MS = 5_000;
const FAST_TIMES = 60;
/** About an hour in all. Then somebody must ask. */
const TIMES_MAX = 800;
export const pace = (timesAsked: number): number | false => (timesAsked >= TIMES_MAX ? false : timesAsked < FAST_TIMES ? FAST_MS : SLOW_MS);

export const StateBadge = ({ state }: Pick<WhatIfRun, 'state'>): ReactNode => {
  const [tone, word] = STATES[state];
  return <Badge tone={tone}>{word}</Badge>;
};

export const subjectOf = ({ endpoints }: WhatIfRun): string => {
  if (endpoints === null) return 'Other rules';
  const [first, ...others] = endpoints;
  if (first === undefined) return 'Other rules';
  return `${first.merchant} ${first.endpointId}${others.length === 0 ? '' : ` and ${plural(others.length, 'other')}`}`;
};

/** One what-if: its question, its progress, then its result and the orders that differ. */
export const Run = ({ whatIfId }: { readonly whatIfId: string }): ReactNode => {
  const query = useReading({
    key: ['/what-ifs', whatIfId],
    ask: (signal) => port.GET('/what-ifs/{whatIfId}', { params: { path: { whatIfId } }, signal }),
    everyMs: (data, timesAsked) => (data === undefined || data.state === 'running' ? pace(timesAsked) : false),
  });
  return <Result query={query}>{(whatIf) => <ShownRun whatIf={whatIf} onAsk={() => void query.refetch()} />}</Result>;
};

const ShownRun = ({ whatIf, onAsk }: { readonly whatIf: WhatIfRun; readonly onAsk: () => void }): ReactNode => {
  const { whatIfId, state, startedBy, startedAt, orders, result, merchants, endpoints, areOrdersCut } = whatIf;
  const { tab } = route.useSearch();
  const differing = result === null ? undefined : result.classes.differs + result.classes['same-outcome'] + result.classes['cannot-know'];
  return (
    <div className="stack">
      <Section title={subjectOf(whatIf)} isCard actions={<StateBadge state={state} />}>
        <Facts
          facts={[
            { label: 'Started by', value: startedBy },
            { label: 'Started', value: <Time at={startedAt} /> },
            { label: 'Orders accepted', value: rangeOf(whatIf) },
            { label: 'Orders of', value: merchants === null ? 'all merchants' : merchants.join(', ') },
            {
              label: 'Entry points with other rules',
              value: endpoints?.map(({ endpointId, ...sections }) => `${endpointId} (${changedSections(sections)})`).join(', '),
            },
            { label: 'Orders decided', value: count(orders) },
          ]}
        />
        {state === 'running' ? <Progress whatIfId={whatIfId} orders={orders} onAsk={onAsk} /> : null}
      </Section>
      {state === 'failed' ? (
        <Notice tone="bad" icon="warning" title="It failed">
          The log could not be read to its end. Nothing was changed. Start it again.
        </Notice>
      ) : null}
      {state === 'interrupted' ? (
        <Notice tone="warn" icon="warning" title="It was interrupted">
          The service ended before it was done. Start it again.
        </Notice>
      ) : null}
      {state === 'stopped' ? (
        <Notice tone="warn" icon="stop" title="It was stopped">
          The result covers only the orders that were decided until then.
        </Notice>
      ) : null}
      {result === null ? null : (
        <>
          <Tabs
            label="Result"
            current={tab ?? 'result'}
            tabs={[
              { key: 'result', label: 'Result', link: { to: '/what-if', search: { run: whatIfId, tab: undefined } } },
              {
                key: 'orders',
                label: 'Orders that differ',
                count: differing,
                link: { to: '/what-if', search: { run: whatIfId, tab: 'orders' } },
              },
            ]}
          />
          {tab === 'orders' ? <DifferingOrders whatIfId={whatIfId} isCut={areOrdersCut} /> : <ResultTables result={result} />}
        </>
      )}
    </div>
  );
};

const changedSections = (sections: Readonly<Record<'gates' | 'routing' | 'screening', string | null>>): string =>
  (['gates', 'screening', 'routing'] as const).filter((name) => sections[name] !== null).join(', ');

interface ProgressProps {
  readonly whatIfId: string;
  readonly orders: number;
  readonly onAsk: () => void;
}

const Progress = ({ whatIfId, orders, onAsk }: ProgressProps): ReactNode => {
  const [isStopping, setStopping] = useState(false);
  const stop = async (): Promise<void> => {
    setStopping(true);
    try {
      const stopped = await answerOf(port.POST('/what-ifs/{whatIfId}/stopping', { params: { path: { whatIfId } }, body: {} }));
      queries.setQueryData(['/what-ifs', whatIfId], stopped);
      void queries.invalidateQueries({ queryKey: ['/what-ifs'], exact: true });
      tell('The what-if is stopped');
    } catch (error) {
      setStopping(false);
      // It may have ended before.
      if (error instanceof PortRefusal && error.status === 409) onAsk();
      else alarm(`Not stopped: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return (
    <div className="progress">
      <progress aria-label="The what-if runs" />
      <span>{plural(orders, 'order')} decided so far</span>
      <button type="button" onClick={onAsk} className="quiet">
        Ask again
      </button>
      <button type="button" onClick={() => void stop()} aria-disabled={isStopping}>
        Stop
      </button>
    </div>
  );
};

const ORDER_COLUMNS: readonly Column<Differing>[] = [
  { key: 'order', head: 'Order', cell: ({ orderId }) => orderId },
  { key: 'amount', head: 'Amount', isNumber: true, cell: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
  { key: 'merchant', head: 'Merchant', cell: ({ merchant, endpointId }) => `${merchant} ${endpointId}` },
  { key: 'by', head: 'Rule', cell: ({ by }) => by },
  { key: 'was', head: 'Before', cell: ({ was, currency }) => endText(was, currency) },
  {
    key: 'would',
    head: 'After',
    isText: true,
    cell: ({ would, currency }) => (
      <span className="not-known">
        {would.kind === 'cannot-know' ? <span className="hatch" aria-hidden="true" /> : null}
        <span>{endText(would, currency)}</span>
      </span>
    ),
  },
];

const DifferingOrders = ({ whatIfId, isCut }: { readonly whatIfId: string; readonly isCut: boolean }): ReactNode => {
  const { pages, query, hasMore, isLoadingMore, loadMore } = usePages({
    key: ['/what-ifs', whatIfId, 'orders'],
    ask: (cursor, signal) =>
      port.GET('/what-ifs/{whatIfId}/orders', {
        params: { path: { whatIfId }, query: { ...(cursor !== undefined && { cursor }) } },
        signal,
      }),
  });
  const orders = pages.flatMap((page) => page.orders);
  return (
    <Result query={query}>
      {() =>
        orders.length === 0 ? (
          <Empty title="No order differs">Under these rules every order would be decided as it was.</Empty>
        ) : (
          <div className="section">
            {isCut ? <CutShort>Only the first 10,000 orders that differ are kept. The result counts all.</CutShort> : null}
            <Table
              caption="Orders that differ"
              columns={ORDER_COLUMNS}
              rows={orders}
              rowKey={({ orderId }) => orderId}
              rowLink={({ orderId }) => ({ to: '/orders/$orderId', params: { orderId } })}
            />
            <LoadMore shown={orders.length} hasMore={hasMore} isLoading={isLoadingMore} onMore={loadMore} />
          </div>
        )
      }
    </Result>
  );
};
