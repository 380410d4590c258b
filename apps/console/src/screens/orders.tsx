import { getRouteApi, type LinkProps } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useNewItems } from '../app/feed';
import { queries, usePages } from '../app/reading';
import { plural } from '../format';
import { port, type Schemas } from '../port';
import { setPreferences, usePreferences } from '../preferences';
import { OrderStatus } from '../ui/badge';
import { Page } from '../ui/page';
import { FilterChips, LoadMore, Money, NewBar } from '../ui/parts';
import { Behind, CutShort, Empty, EmptyByFilters, ErrorNotice, Notice, Skeleton } from '../ui/states';
import { Table, type Column } from '../ui/table';
import { Time } from '../ui/time';
import { stageText, OPERATIONS } from './order/order-words';
import { ColumnsMenu, ExportMenu, ViewsMenu } from './orders/menus';
import { askedOf, chipsOf, COLUMNS, columnsOf, filtersOf, queryOf, withoutChip, type ColumnName } from './orders/filters';
import { FilterDialog, QuickFilters } from './orders/filter-forms';
import type { OrderFilters } from './orders.search';

type ListedOrder = Schemas['ListedOrder'];

const route = getRouteApi('/orders');
const PAGE_ROWS = 200;
const NONE = <span className="none">—</span>;

const textCell = (value: number | string | null): ReactNode => value ?? NONE;
const codeCell = (value: string | null): ReactNode => (value === null ? NONE : <code>{value}</code>);

const CELLS: Readonly<Record<ColumnName, (order: ListedOrder) => ReactNode>> = {
  status: ({ status }) => <OrderStatus status={status} />,
  amount: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  merchant: ({ merchant }) => merchant,
  clientOrderId: ({ clientOrderId }) => codeCell(clientOrderId),
  operation: ({ operation }) => OPERATIONS[operation] ?? operation,
  stage: ({ stage }) => stageText(stage),
  endpoint: ({ endpoint }) => endpoint,
  gate: ({ gate }) => textCell(gate),
  attempts: ({ attempts }) => attempts,
  code: ({ code }) => textCell(code),
  card: ({ brand, bin, lastFour }) =>
    lastFour === null ? (
      NONE
    ) : (
      <span className="number" title={bin === null ? undefined : `${bin}•• •••• ${lastFour}`}>
        {brand} •• {lastFour}
      </span>
    ),
  transactionId: ({ transactionId }) => codeCell(transactionId),
  rrn: ({ rrn }) => codeCell(rrn),
  approvalCode: ({ approvalCode }) => codeCell(approvalCode),
  receipt: ({ receipt }) => codeCell(receipt),
  correlation: ({ correlation }) => codeCell(correlation),
  cardReference: ({ cardReference }) => codeCell(cardReference),
  createdAt: ({ createdAt }) => <Time at={createdAt} />,
  updatedAt: ({ updatedAt }) => <Time at={updatedAt} />,
  finalAt: ({ finalAt }) => (finalAt === null ? NONE : <Time at={finalAt} />),
};
const NUMBERS: ReadonlySet<ColumnName> = new Set(['amount', 'attempts', 'code']);

const tableColumns = (names: readonly ColumnName[]): readonly Column<ListedOrder>[] => [
  { key: 'order', head: 'Order', cell: ({ orderId }) => orderId },
  ...names.map((name) => ({ key: name, head: COLUMNS[name], cell: CELLS[name], isNumber: NUMBERS.has(name) })),
];

const rowKey = ({ orderId }: ListedOrder): string => orderId;
const rowLink = ({ orderId }: ListedOrder): LinkProps => ({ to: '/orders/$orderId', params: { orderId } });

export const Orders = (): ReactNode => {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { zone, columns: stored } = usePreferences();
  const [isFiltering, setFiltering] = useState(false);
  const written = useMemo(() => filtersOf(search), [search]);
  const filters = useMemo(() => askedOf(written), [written]);
  const names = useMemo(() => columnsOf(search.columns, stored['/orders']), [search.columns, stored]);
  const columns = useMemo(() => tableColumns(names), [names]);
  const chips = chipsOf(filters, zone);

  const key = useMemo(() => ['orders', 'list', filters] as const, [filters]);
  const { pages, query, hasMore, isLoadingMore, loadMore } = usePages({
    key,
    ask: (cursor, signal) =>
      port.GET('/audit/orders', {
        params: { query: { ...queryOf(filters), limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) } },
        signal,
      }),
  });
  const rows = useMemo(() => pages.flatMap(({ orders }) => orders), [pages]);
  const last = pages.at(-1);
  const news = useNewItems(({ type }) => type === 'OrderAccepted');

  const apply = (next: OrderFilters, replace = false): void =>
    void navigate({ search: { ...next, columns: search.columns }, replace, resetScroll: false });

  const currencies = useMemo(() => [...new Set(rows.map(({ currency }) => currency))], [rows]);
  const isWhole = last !== undefined && !hasMore && !query.isPlaceholderData && last.isCutShort !== true && last.index === undefined;
  const onlyCurrency = isWhole && currencies.length === 1 ? currencies[0] : undefined;
  const isAmountLeftOut = filters !== written;
  useEffect(() => {
    if (isAmountLeftOut && onlyCurrency !== undefined) apply({ ...written, currency: onlyCurrency }, true);
  }, [isAmountLeftOut, onlyCurrency]);
  const showNew = (): void => {
    news.reset();
    // Only the first page is asked for again: each page is a recorded query.
    queries.setQueryData<{ pages: readonly unknown[]; pageParams: readonly unknown[] }>(key, (before) =>
      before === undefined ? before : { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) },
    );
    void queries.invalidateQueries({ queryKey: key });
  };
  const chooseColumns = (chosen: readonly ColumnName[]): void => {
    setPreferences({ columns: { ...stored, '/orders': chosen } });
    void navigate({ search: (before) => ({ ...before, columns: chosen.join(',') }), replace: true, resetScroll: false });
  };

  return (
    <Page
      title="Orders"
      actions={
        <>
          <ViewsMenu filters={filters} columns={search.columns} />
          <ColumnsMenu shown={names} onChange={chooseColumns} />
          <ExportMenu filters={filters} />
        </>
      }
    >
      <QuickFilters
        key={JSON.stringify(written)}
        filters={written}
        currencies={currencies}
        onlyCurrency={chips.length === 0 ? onlyCurrency : undefined}
        onApply={apply}
        onMore={() => setFiltering(true)}
      />
      <FilterChips chips={chips} onRemove={(chip) => apply(withoutChip(written, chip))} onClear={() => apply({})} />
      <NewBar
        count={news.count}
        noun={`new ${news.count === 1 ? 'order' : 'orders'}${chips.length === 0 ? '' : ', which these filters may leave out'}`}
        onShow={showNew}
      />
      {query.error === null ? null : <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {last?.index === undefined ? null : <Behind isMissing={last.index === 'missing'} />}
      {pages.some(({ areReferencesCut }) => areReferencesCut === true) ? (
        <Notice tone="warn" icon="warning" title="Not all orders of this card are here">
          The card has more than 500 references. Add the merchant, to search fewer of them.
        </Notice>
      ) : null}
      {query.data === undefined ? (
        query.error === null && <Skeleton lines={12} />
      ) : rows.length === 0 && !hasMore ? (
        chips.length === 0 ? (
          <Empty title="There are no orders yet">The first one appears here as soon as a merchant sends it.</Empty>
        ) : (
          <EmptyByFilters onClear={() => apply({})} />
        )
      ) : (
        <>
          <Table
            caption="Orders, newest first"
            columns={columns}
            rows={rows}
            rowKey={rowKey}
            rowLink={rowLink}
            isBusy={query.isFetching && !isLoadingMore}
          />
          {last?.isCutShort === true ? (
            <CutShort>
              The search reached its limit of checked orders after {plural(rows.length, 'match', 'matches')}. Older orders are not checked
              yet: load more, or add a filter.
            </CutShort>
          ) : null}
          <LoadMore shown={rows.length} hasMore={hasMore} isLoading={isLoadingMore} onMore={loadMore} />
        </>
      )}
      {isFiltering ? (
        <FilterDialog
          filters={written}
          currencies={currencies}
          onApply={(next) => {
            setFiltering(false);
            apply(next);
          }}
          onClose={() => setFiltering(false)}
        />
      ) : null}
    </Page>
  );
};
