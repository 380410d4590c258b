import { useNavigate, useSearch, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { queries, type Pages } from '../../app/reading';
import { FilterChips, LoadMore, type Chip } from '../../ui/parts';
import { Behind, Empty, EmptyByFilters, Result } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { filtersOf, inputOfTime, timeOfInput, type Queue, type QueuesSearch } from '../queues.search';

/** The index follows the log a moment later, so a list is asked again for this long after an action. */
const FOLLOWS_MS = [0, 700, 2_500] as const;

/** Asks the list of this path again, and the counts. */
export const refresh = (path: string): void => {
  for (const afterMs of FOLLOWS_MS)
    setTimeout(() => {
      void queries.invalidateQueries({ queryKey: [path] });
      void queries.invalidateQueries({ queryKey: ['/overview'] });
    }, afterMs);
};

/** The filters of a queue, and how to change them: each change is an address. */
export const useFilters = (queue: Queue) => {
  const search = useSearch({ from: '/queues' });
  const navigate = useNavigate({ from: '/queues' });
  const go = (next: QueuesSearch): void => void navigate({ to: '/queues', search: { ...next, queue }, replace: true });
  const filters = filtersOf(queue, search);
  return {
    filters,
    set: (changed: Partial<QueuesSearch>) => go({ ...filters, ...changed }),
    clear: () => go({}),
  };
};

interface QueueListProps<Page, Row> {
  readonly queue: Queue;
  readonly caption: string;
  readonly pages: Pages<Page>;
  readonly rowsOf: (page: Page) => readonly Row[];
  readonly indexOf?: (page: Page) => 'behind' | 'missing' | undefined;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly rowLink?: ((row: Row) => LinkProps | undefined) | undefined;
  readonly currentKey?: string | undefined;
  readonly chips: readonly Chip[];
  readonly emptyTitle: string;
  readonly emptyText: string;
  /** Fields for the filters, and buttons for the whole list. */
  readonly tools?: ReactNode;
  /** Between the filters and the rows. */
  readonly children?: ReactNode;
}

/** One table for all queues: filters, rows, the end of the list. */
export const QueueList = <Page, Row>({
  queue,
  caption,
  pages: { pages, query, hasMore, isLoadingMore, loadMore },
  rowsOf,
  indexOf,
  columns,
  rowKey,
  rowLink,
  currentKey,
  chips,
  emptyTitle,
  emptyText,
  tools,
  children,
}: QueueListProps<Page, Row>): ReactNode => {
  const { set, clear } = useFilters(queue);
  const rows = pages.flatMap(rowsOf);
  const index = pages.map((page) => indexOf?.(page)).find((one) => one !== undefined);
  return (
    <>
      {tools === undefined ? null : <div className="queue-tools">{tools}</div>}
      <FilterChips chips={chips} onRemove={(key) => set({ [key]: undefined })} onClear={clear} />
      {children}
      {index === undefined ? null : <Behind isMissing={index === 'missing'} />}
      <Result query={query} lines={10}>
        {() =>
          rows.length === 0 ? (
            chips.length > 0 ? (
              <EmptyByFilters onClear={clear} />
            ) : (
              <Empty title={emptyTitle}>{emptyText}</Empty>
            )
          ) : (
            <div className="queue-rows">
              <Table
                caption={caption}
                columns={columns}
                rows={rows}
                rowKey={rowKey}
                isBusy={query.isFetching}
                currentKey={currentKey}
                rowLink={rowLink}
              />
              <LoadMore shown={rows.length} hasMore={hasMore} isLoading={isLoadingMore} onMore={loadMore} />
            </div>
          )
        }
      </Result>
    </>
  );
};

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value | undefined;
  /** Shown for no filter. */
  readonly all: string;
  readonly options: readonly (readonly [value: Value, word: string])[];
  readonly onChange: (value: Value | undefined) => void;
}

export const SelectFilter = <Value extends string>({ label, value, all, options, onChange }: SelectProps<Value>): ReactNode => (
  <label className="filter">
    <span>{label}</span>
    <select value={value ?? ''} onChange={({ target }) => onChange(target.value === '' ? undefined : (target.value as Value))}>
      <option value="">{all}</option>
      {options.map(([key, word]) => (
        <option key={key} value={key}>
          {word}
        </option>
      ))}
    </select>
  </label>
);

interface TextProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Takes effect when the field is left, or by Enter: each change is a question to the port. */
export const TextFilter = ({ label, value, onChange }: TextProps): ReactNode => {
  const take = (text: string): void => {
    const given = text.trim() === '' ? undefined : text.trim();
    if (given !== value) onChange(given);
  };
  return (
    <label className="filter">
      <span>{label}</span>
      <input
        key={value}
        defaultValue={value}
        autoComplete="off"
        spellCheck={false}
        onBlur={({ target }) => take(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') take(currentTarget.value);
        }}
      />
    </label>
  );
};

/** A time in UTC. */
export const TimeFilter = ({ label, value, onChange }: TextProps): ReactNode => {
  const take = (text: string): void => {
    if (text !== inputOfTime(value)) onChange(timeOfInput(text));
  };
  return (
    <label className="filter">
      <span>{label} (UTC)</span>
      <input
        key={value}
        type="datetime-local"
        defaultValue={inputOfTime(value)}
        onBlur={({ target }) => take(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') take(currentTarget.value);
        }}
      />
    </label>
  );
};
