import { getRouteApi, Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useShortcut } from '../../app/shortcuts';
import { duration, instant, plural, type Zone } from '../../format';
import { usePreferences } from '../../preferences';
import { CopyButton, Facts, OnDemand } from '../../ui/parts';
import { CutShort, Empty, EmptyByFilters, Notice } from '../../ui/states';
import { Time } from '../../ui/time';
import type { Place } from './moments';
import { LANES, type Lane, type OrderSearch } from './order.search';
import { timelineRows, TONES, type EntryRow } from './timeline-rows';

const route = getRouteApi('/orders/$orderId');

const LANE_WORDS: Readonly<Record<Lane, string>> = {
  order: 'Order',
  gate: 'Gate',
  callbacks: 'Callbacks',
  card: 'Card',
  operator: 'Operator',
};

interface TimelineProps {
  readonly rows: readonly EntryRow[];
  readonly search: OrderSearch;
  readonly orderStream: string | undefined;
  /** Entries after it are shown as not yet recorded. Undefined: now. */
  readonly moment: Place | undefined;
  readonly isCutShort: boolean;
  readonly areQuestionsCut: boolean;
}

/** Longer timelines render only the rows in view. Shorter ones can be searched with the browser's own search. */
const WHOLE_MAX = 120;
const ROW_HEIGHT_PX = 52;
const OVERSCAN = 15;
const WORDS_AFTER_MS = 250;

/** Everything that happened to an order, in words, by lane. */
export const Timeline = ({ rows, search, orderStream, moment, isCutShort, areQuestionsCut }: TimelineProps): ReactNode => {
  const { without, words, queries, entry: opened } = search;
  const { zone } = usePreferences();
  const navigate = route.useNavigate();
  const shown = useMemo(
    () => timelineRows(rows, { without, words, queries }, (at) => partsOf(at, zone).day),
    [rows, without, words, queries, zone],
  );
  const others = rows.filter(({ isMereQuery, entry }) => !isMereQuery && entry.stream !== orderStream).length;
  const change = useCallback(
    (changes: Partial<OrderSearch>): void =>
      void navigate({ search: (before) => ({ ...before, ...changes }), replace: true, resetScroll: false }),
    [navigate],
  );
  const open = useCallback((entry: number | undefined) => change({ entry }), [change]);
  const list = useRef<HTMLOListElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => setMargin((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY), [rows]);
  const isLong = shown.length > WHOLE_MAX;
  const virtual = useWindowVirtualizer({
    count: shown.length,
    enabled: isLong,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey: (index) => {
      const row = shown[index];
      return row === undefined ? index : row.kind === 'entry' ? row.entry.number : row.key;
    },
    overscan: OVERSCAN,
    scrollMargin: margin,
  });
  const indexOf = (number: number): number => shown.findIndex((row) => row.kind === 'entry' && row.entry.number === number);
  const focusEntry = (number: number): void => {
    const find = (): HTMLElement | null => document.querySelector(`#entry-${number} > .entry-head`);
    const place = indexOf(number);
    if (place === -1) return;
    const shownHead = find();
    if (shownHead !== null) {
      shownHead.focus();
      return;
    }
    virtual.scrollToIndex(place, { align: 'center' });
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        find()?.focus();
        find()?.scrollIntoView({ block: 'nearest' });
      }),
    );
  };
  const isFirst = useRef(true);
  useEffect(() => {
    // An address with an entry opens there; later openings stay where the reader is.
    if (isFirst.current && opened !== undefined && rows.length > 0) focusEntry(opened);
    if (rows.length > 0) isFirst.current = false;
  });
  const move = (step: -1 | 1): void => {
    const focused = Number(document.activeElement?.closest('[data-entry]')?.getAttribute('data-entry') ?? Number.NaN);
    const numbers = shown.flatMap((row) => (row.kind === 'entry' ? row.entry.number : []));
    const at = numbers.indexOf(focused);
    const next = at === -1 ? (step === 1 ? numbers[0] : numbers.at(-1)) : numbers[at + step];
    if (next !== undefined) focusEntry(next);
  };
  useShortcut('j', 'Next entry', () => move(1));
  useShortcut('k', 'Previous entry', () => move(-1));

  const isLater = ({ entry: { stream, revision, at } }: EntryRow): boolean => {
    if (moment === undefined) return false;
    return stream === orderStream ? revision > (moment.events.at(-1)?.revision ?? 0) : at > moment.at;
  };
  const follow = useCallback(
    (number: number) => {
      change({ entry: number, without: undefined, words: undefined });
      requestAnimationFrame(() => focusEntry(number));
    },
    [change, shown],
  );
  const items = virtual.getVirtualItems();
  const places = isLong ? items.map(({ index }) => index) : shown.map((_, index) => index);
  const before = isLong ? Math.max(0, (items[0]?.start ?? margin) - margin) : 0;
  const after = isLong ? Math.max(0, virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin)) : 0;

  return (
    <div className="timeline">
      <Filters rows={rows} search={search} onChange={change} />
      {isCutShort ? <CutShort>The order has more events than this timeline can hold. The bar above has all of them.</CutShort> : null}
      {areQuestionsCut ? (
        <Notice tone="calm" title="Some queries are left out">
          Operators asked about this order more often than the timeline can hold. No event is missing.
        </Notice>
      ) : null}
      {others === 0 ? null : (
        <p className="muted timeline-others">
          The moment counts only the events of the payment, without {plural(others, 'entry', 'entries')} about callbacks, cards or
          operators.
        </p>
      )}
      {rows.length === 0 ? <Empty title="Nothing is recorded yet" /> : null}
      {rows.length > 0 && shown.length === 0 ? <EmptyByFilters onClear={() => change({ without: undefined, words: undefined })} /> : null}
      <ol className="entries" ref={list}>
        {before > 0 ? <li aria-hidden="true" style={{ height: before }} /> : null}
        {places.map((index) => {
          const row = shown[index];
          if (row === undefined) return null;
          const measure = isLong ? virtual.measureElement : undefined;
          if (row.kind === 'gap')
            return (
              <li key={row.key} className="gap" data-index={index} ref={measure}>
                {duration(row.ms / 1_000)} later
              </li>
            );
          if (row.kind === 'day')
            return (
              <li key={row.key} className="day" data-index={index} ref={measure}>
                {partsOf(row.at, zone).day} <span className="muted">{partsOf(row.at, zone).zone}</span>
              </li>
            );
          return (
            <Entry
              key={row.entry.number}
              row={row}
              index={index}
              measure={measure}
              isOpen={row.entry.number === opened}
              isLater={isLater(row)}
              isOfOrder={row.entry.stream === orderStream}
              onOpen={open}
              onFollow={follow}
            />
          );
        })}
        {after > 0 ? <li aria-hidden="true" style={{ height: after }} /> : null}
      </ol>
    </div>
  );
};

/** Day, clock and zone of a time: the day is above its entries. */
const partsOf = (at: string, zone: Zone): { readonly day: string; readonly clock: string; readonly zone: string } => {
  const [day = '', clock = '', name = ''] = instant(at, zone === 'local' ? 'local' : 'utc', { withMs: true }).split('\u00a0');
  return { day, clock, zone: name };
};

const Clock = ({ at }: { readonly at: string }): ReactNode => {
  const { zone } = usePreferences();
  return zone === 'relative' ? (
    <Time at={at} />
  ) : (
    <time className="time" dateTime={at} title={instant(at, 'utc', { withMs: true })}>
      {partsOf(at, zone).clock}
    </time>
  );
};

interface FiltersProps {
  readonly rows: readonly EntryRow[];
  readonly search: OrderSearch;
  readonly onChange: (changes: Partial<OrderSearch>) => void;
}

const Filters = ({ rows, search: { without = [], words, queries }, onChange }: FiltersProps): ReactNode => {
  const [typed, setTyped] = useState(words ?? '');
  useEffect(() => setTyped(words ?? ''), [words]);
  useEffect(() => {
    if (typed === (words ?? '')) return undefined;
    const timer = setTimeout(() => onChange({ words: typed === '' ? undefined : typed }), WORDS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed, words, onChange]);
  const counts = useMemo(() => {
    const found = new Map<Lane, number>();
    for (const { lane, isMereQuery } of rows) if (!isMereQuery) found.set(lane, (found.get(lane) ?? 0) + 1);
    return found;
  }, [rows]);
  const mere = rows.filter(({ isMereQuery }) => isMereQuery).length;
  return (
    <div className="timeline-filters">
      <div className="lanes" role="group" aria-label="Lanes">
        {LANES.map((lane) => (
          <button
            key={lane}
            type="button"
            className={`lane of-${lane}`}
            aria-pressed={!without.includes(lane)}
            onClick={() => {
              const next = without.includes(lane) ? without.filter((other) => other !== lane) : [...without, lane];
              onChange({ without: next.length === 0 ? undefined : next });
            }}
          >
            <span className="lane-dot" aria-hidden="true" />
            {LANE_WORDS[lane]} <span className="count">{counts.get(lane) ?? 0}</span>
          </button>
        ))}
        {mere === 0 ? null : (
          <button
            type="button"
            className="lane of-operator"
            aria-pressed={queries === true}
            onClick={() => onChange({ queries: queries === true ? undefined : true })}
          >
            Queries <span className="count">{mere}</span>
          </button>
        )}
      </div>
      <input
        type="search"
        className="timeline-words"
        aria-label="Filter the timeline"
        placeholder="Filter"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </div>
  );
};

interface EntryProps {
  readonly row: EntryRow;
  readonly index: number;
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
  readonly isOpen: boolean;
  readonly isLater: boolean;
  readonly isOfOrder: boolean;
  readonly onOpen: (entry: number | undefined) => void;
  readonly onFollow: (entry: number) => void;
}

/** Negative if two machines' clocks differ. */
const sinceText = (ms: number): string => {
  const distance = Math.abs(ms);
  return `${ms < 0 ? '−' : '+'}${distance < 1_000 ? `${distance} ms` : `${(distance / 1_000).toFixed(1)} s`}`;
};
const GAP_MS = 60_000;

const Entry = memo(({ row, index, measure, isOpen, isLater, isOfOrder, onOpen, onFollow }: EntryProps): ReactNode => {
  const { entry, lane, words, sinceMs } = row;
  const { number, at, actor, claimedActor, causedBy } = entry;
  const tone = TONES[words.tone];
  return (
    <li
      ref={measure}
      id={`entry-${number}`}
      data-index={index}
      data-entry={number}
      className={`entry of-${lane} ${isLater ? 'later' : ''} ${isOpen ? 'open' : ''}`}
    >
      <button type="button" className="entry-head" aria-expanded={isOpen} onClick={() => onOpen(isOpen ? undefined : number)}>
        <span className="entry-at">
          <Clock at={at} />
          <span className="entry-since">
            #{number}
            {sinceMs === undefined || sinceMs >= GAP_MS ? '' : `, ${sinceText(sinceMs)}`}
          </span>
        </span>
        <span className="entry-rail" aria-hidden="true">
          <span className={`entry-dot ${tone}`} />
        </span>
        <span className="entry-words">
          <span className="entry-title">
            <span className="hidden">{LANE_WORDS[lane]}: </span>
            <strong className={tone}>{words.title}</strong>
            {isLater ? <span className="entry-later"> not yet at this moment</span> : null}
          </span>
          <span className="entry-facts">{words.facts.join(' · ')}</span>
        </span>
      </button>
      {causedBy === null ? null : (
        <button type="button" className="quiet entry-cause" onClick={() => onFollow(causedBy)}>
          because of #{causedBy}
          <span className="hidden">, the cause of entry {number}</span>
        </button>
      )}
      {isOpen ? (
        <div className="entry-body">
          <Facts
            facts={[
              { label: 'Event', value: entry.type },
              { label: 'Entry', value: `#${number}` },
              { label: 'By', value: claimedActor === null ? actor : `${actor} for ${claimedActor}` },
              { label: 'Revision', value: entry.revision },
              { label: 'Stream', value: <code>{entry.stream}</code> },
              { label: 'Request', value: <code>{entry.correlation}</code> },
            ]}
          />
          <div className="entry-links">
            {isOfOrder ? (
              <Link
                to="/orders/$orderId"
                from="/orders/$orderId"
                params={(params) => params}
                search={(search) => ({ ...search, at: String(entry.revision) })}
                replace
                resetScroll={false}
              >
                Show the state at this moment
              </Link>
            ) : null}
          </div>
          {entry.data === null ? null : (
            <OnDemand summary="JSON">
              {() => (
                <div className="entry-json">
                  <CopyButton text={JSON.stringify(entry.data, null, 2)} what="JSON" />
                  <pre tabIndex={0}>{JSON.stringify(entry.data, null, 2)}</pre>
                </div>
              )}
            </OnDemand>
          )}
        </div>
      ) : null}
    </li>
  );
});
