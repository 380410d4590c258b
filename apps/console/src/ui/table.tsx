import { Link, type LinkProps } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, type ReactNode } from 'react';
import { useShortcut } from '../app/shortcuts';

export interface Column<Row> {
  readonly key: string;
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers and amounts are aligned to the end. */
  readonly isNumber?: boolean;
  /** May break into lines; other cells stay on one. */
  readonly isText?: boolean;
}

interface TableProps<Row> {
  /** Names the table for screen readers. */
  readonly caption: string;
  /** The first column names its row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Where a row leads, if anywhere; its first cell becomes the link, and the whole row can be clicked. */
  readonly rowLink?: ((row: Row) => LinkProps | undefined) | undefined;
  /** Marked, as the one whose details are open. */
  readonly currentKey?: string | undefined;
  readonly isBusy?: boolean;
  /** Without a height limit: a table of few rows within a screen. */
  readonly isShort?: boolean;
}

/** Longer lists render only the rows in view. */
const WHOLE_MAX = 120;
/** As the rows of most tables are: the virtualizer places all later rows again for each row of another height. */
const ROW_HEIGHT_PX = 32;
const HEAD_HEIGHT_PX = 32;
const OVERSCAN = 4;

type Step = 1 | -1;
const movers = new WeakMap<Element, (step: Step) => void>();

/** In the table that has the focus, or the first one of the screen. */
const moveInTable = (step: Step): void => {
  const region = document.activeElement?.closest('.table-region') ?? document.querySelector('main .table-region');
  if (region !== null) movers.get(region)?.(step);
};

/**
 * A list of rows under a head that stays in view. `j` and `k` move from row to row, Enter opens.
 * Wide tables scroll in their own region, which takes the focus.
 */
export const Table = <Row,>({
  caption,
  columns,
  rows,
  rowKey,
  rowLink,
  currentKey,
  isBusy = false,
  isShort = false,
}: TableProps<Row>): ReactNode => {
  const region = useRef<HTMLDivElement>(null);
  const isLong = rows.length > WHOLE_MAX;
  // Another function makes the virtualizer place all rows again, at each step of a scroll.
  const keyOf = useCallback((index: number) => rowKey(rows[index] as Row), [rows, rowKey]);
  const virtual = useVirtualizer({
    count: rows.length,
    enabled: isLong,
    getScrollElement: () => region.current,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey: keyOf,
    overscan: OVERSCAN,
    scrollPaddingStart: HEAD_HEIGHT_PX,
  });
  const items = virtual.getVirtualItems();
  const shown: readonly number[] = isLong ? items.map(({ index }) => index) : rows.map((_, index) => index);
  const before = isLong ? (items[0]?.start ?? 0) : 0;
  const after = isLong ? virtual.getTotalSize() - (items.at(-1)?.end ?? 0) : 0;

  const focusRow = (index: number): void => {
    const find = (): HTMLElement | null | undefined => {
      const row = region.current?.querySelector<HTMLElement>(`tr[data-index="${index}"]`);
      return row?.querySelector<HTMLElement>('a, button') ?? row;
    };
    const row = find();
    if (row !== null && row !== undefined) row.focus();
    else {
      virtual.scrollToIndex(index);
      requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus()));
    }
  };
  const move = (step: Step): void => {
    const focused = document.activeElement?.closest('tr[data-index]');
    const isHere = focused !== null && focused !== undefined && region.current?.contains(focused) === true;
    const from = isHere ? Number(focused.getAttribute('data-index')) : step === 1 ? -1 : rows.length;
    const to = Math.min(Math.max(from + step, 0), rows.length - 1);
    if (rows.length > 0) focusRow(to);
  };
  const latestMove = useRef(move);
  latestMove.current = move;
  useEffect(() => {
    const own = region.current;
    if (own !== null) movers.set(own, (step) => latestMove.current(step));
  }, []);
  useShortcut('j', 'Next row', () => moveInTable(1));
  useShortcut('k', 'Previous row', () => moveInTable(-1));

  return (
    <div
      ref={region}
      className={`table-region ${isShort ? 'short' : ''}`}
      role="region"
      aria-label={caption}
      aria-busy={isBusy}
      // A region that scrolls must be reachable by keyboard.
      tabIndex={0}
    >
      <table className="table" aria-rowcount={isLong ? rows.length + 1 : undefined}>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr aria-rowindex={isLong ? 1 : undefined}>
            {columns.map(({ key, head, isNumber }) => (
              <th key={key} scope="col" className={isNumber === true ? 'number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <Spacer height={before} columns={columns.length} /> : null}
          {shown.map((index) => {
            const row = rows[index];
            if (row === undefined) return null;
            const key = rowKey(row);
            const link = rowLink?.(row);
            return (
              <tr
                key={key}
                ref={isLong ? virtual.measureElement : undefined}
                data-index={index}
                aria-rowindex={isLong ? index + 2 : undefined}
                aria-current={key === currentKey ? 'true' : undefined}
                className={link === undefined ? undefined : 'linked'}
                // A row that leads nowhere can be read by `j` and `k` all the same.
                tabIndex={link === undefined ? -1 : undefined}
              >
                {columns.map((column, at) => (
                  <Cell key={column.key} row={row} column={column} isHead={at === 0} link={link} />
                ))}
              </tr>
            );
          })}
          {after > 0 ? <Spacer height={after} columns={columns.length} /> : null}
        </tbody>
      </table>
    </div>
  );
};

const Spacer = ({ height, columns }: { readonly height: number; readonly columns: number }): ReactNode => (
  <tr aria-hidden="true" className="spacer">
    <td colSpan={columns} style={{ height }} />
  </tr>
);

interface CellProps<Row> {
  readonly row: Row;
  readonly column: Column<Row>;
  readonly isHead: boolean;
  readonly link: LinkProps | undefined;
}

const Cell = <Row,>({ row, column: { cell, isNumber, isText }, isHead, link }: CellProps<Row>): ReactNode => {
  const names = `${isNumber === true ? 'number' : ''} ${isText === true ? 'text' : ''}`.trim();
  const className = names === '' ? undefined : names;
  if (!isHead) return <td className={className}>{cell(row)}</td>;
  return (
    <th scope="row" className={className}>
      {link === undefined ? (
        cell(row)
      ) : (
        <Link {...link} className="row-link">
          {cell(row)}
        </Link>
      )}
    </th>
  );
};
