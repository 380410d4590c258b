import { getRouteApi, Link, type LinkProps } from '@tanstack/react-router';
import { useMemo, useState, type FormEvent, type ReactNode } from 'react';
import { present } from '@app/kernel/values/present';
import { usePages } from '../app/reading';
import { useSession } from '../app/session';
import { port, type Schemas } from '../port';
import { usePreferences } from '../preferences';
import { csvOf, ndjsonOf, saveFile } from '../save-file';
import { Badge } from '../ui/badge';
import { Field, focusField } from '../ui/field';
import { Menu } from '../ui/menu';
import { Page } from '../ui/page';
import { FilterChips, LoadMore, Tabs } from '../ui/parts';
import { Behind, CutShort, Empty, EmptyByFilters, ErrorNotice, Skeleton } from '../ui/states';
import { Table, type Column } from '../ui/table';
import { Time } from '../ui/time';
import { TimeField } from '../ui/time-field';
import {
  activityChips,
  activityFaults,
  countText,
  isOrderTarget,
  KIND_WORDS,
  nameText,
  outcomeOf,
  queryOf,
} from './activity/activity-words';
import { Configuration } from './activity/configuration';
import { ACTIVITY_KINDS, activitySearch, type ActivityFilters } from './activity.search';

type Entry = Schemas['ActivityShown'];

const route = getRouteApi('/activity');
const PAGE_ROWS = 200;

export const Activity = (): ReactNode => {
  const { tab = 'activity' } = route.useSearch();
  const { merchants } = useSession();
  const link = (search: LinkProps['search']): LinkProps => ({ to: '/activity', search }) as LinkProps;
  if (tab === 'configuration') return <Configuration tabs={<ActivityTabs current={tab} link={link} />} />;
  return (
    <Listed
      tabs={
        // The configuration is that of all merchants.
        merchants === null ? <ActivityTabs current={tab} link={link} /> : null
      }
    />
  );
};

interface ActivityTabsProps {
  readonly current: string;
  readonly link: (search: LinkProps['search']) => LinkProps;
}

const ActivityTabs = ({ current, link }: ActivityTabsProps): ReactNode => (
  <Tabs
    label="Activity and configuration"
    current={current}
    tabs={[
      { key: 'activity', label: 'Activity', link: link({ tab: undefined }) },
      { key: 'configuration', label: 'Configuration', link: link({ tab: 'configuration' }) },
    ]}
  />
);

const Target = ({ target, kind }: Pick<Entry, 'kind' | 'target'>): ReactNode => {
  if (target === null) return <span className="none">—</span>;
  if (kind === 'configuration') return <code title={target}>{target.slice(0, 12)}…</code>;
  if (!isOrderTarget(target)) return <code>{target}</code>;
  return (
    <Link to="/orders/$orderId" params={{ orderId: target }}>
      {target}
    </Link>
  );
};

const Outcome = ({ entry }: { readonly entry: Entry }): ReactNode => {
  const outcome = outcomeOf(entry);
  const rows = countText(entry);
  if (outcome === undefined && rows === undefined) return <span className="none">—</span>;
  return (
    <span className="activity-outcome">
      {outcome === undefined ? null : <Badge tone={outcome[0]}>{outcome[1]}</Badge>}
      {rows}
    </span>
  );
};

const KIND_TONES = { action: 'info', reveal: 'warn', query: 'calm', refusal: 'warn', session: 'calm', configuration: 'unknown' } as const;
const KIND_ICONS = { action: 'right', reveal: 'warning', query: 'search', refusal: 'stop', session: 'dot', configuration: 'flag' } as const;

const COLUMNS: readonly Column<Entry>[] = [
  { key: 'at', head: 'Time', cell: ({ at }) => <Time at={at} /> },
  {
    key: 'person',
    head: 'Person',
    cell: ({ person, claimedActor, role }) => (
      <span title={role === null ? undefined : `role ${role}`}>
        {person}
        {claimedActor === null ? null : <span className="muted"> for {claimedActor}</span>}
      </span>
    ),
  },
  {
    key: 'kind',
    head: 'Kind',
    cell: ({ kind }) => (
      <Badge tone={KIND_TONES[kind]} icon={KIND_ICONS[kind]}>
        {KIND_WORDS[kind]}
      </Badge>
    ),
  },
  { key: 'name', head: 'What', cell: ({ name }) => <span title={name}>{nameText(name)}</span> },
  { key: 'target', head: 'About', cell: ({ target, kind }) => <Target target={target} kind={kind} /> },
  { key: 'outcome', head: 'Result', cell: (entry) => <Outcome entry={entry} /> },
];

const EXPORTED = ['at', 'kind', 'person', 'claimedActor', 'role', 'name', 'target', 'outcome', 'count'] as const;

const Listed = ({ tabs }: { readonly tabs: ReactNode }): ReactNode => {
  const { person, kind, name, target, since, until } = route.useSearch();
  const navigate = route.useNavigate();
  const { merchants } = useSession();
  const { zone } = usePreferences();
  const filters = useMemo(
    (): ActivityFilters => present({ person, kind, name, target, since, until }),
    [person, kind, name, target, since, until],
  );
  const { pages, query, hasMore, isLoadingMore, loadMore } = usePages({
    key: ['activity', filters],
    ask: (cursor, signal) =>
      port.GET('/activity', {
        params: { query: { ...queryOf(filters), limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) } },
        signal,
      }),
  });
  const rows = useMemo(() => pages.flatMap(({ activity }) => activity), [pages]);
  // An entry has no id: two may be equal in every member.
  const keyed = useMemo(() => new Map(rows.map((row, index) => [row, String(index)])), [rows]);
  const last = pages.at(-1);
  const chips = activityChips(filters, zone);
  const apply = (next: ActivityFilters): void => void navigate({ search: next, resetScroll: false });
  return (
    <Page
      title="Configuration and activity"
      heading="Activity"
      lead={merchants === null ? undefined : `Your own, and what concerns orders of ${merchants.join(', ')}.`}
      actions={
        <>
          <button type="button" onClick={() => void query.refetch()}>
            Reload
          </button>
          <Menu label="Export">
            <button type="button" className="quiet" onClick={() => saveFile('activity', 'csv', csvOf(EXPORTED, rows))}>
              CSV
            </button>
            <button type="button" className="quiet" onClick={() => saveFile('activity', 'ndjson', ndjsonOf(rows))}>
              NDJSON
            </button>
            <p className="muted menu-text">The entries that are shown. Load more before, if you need more.</p>
          </Menu>
        </>
      }
    >
      {tabs}
      <Filters key={JSON.stringify(filters)} filters={filters} onApply={apply} />
      <FilterChips
        chips={chips}
        onRemove={(key) => apply(Object.fromEntries(Object.entries(filters).filter(([one]) => one !== key)))}
        onClear={() => apply({})}
      />
      {/* One link for both, so that it keeps the focus. */}
      {kind === undefined || kind === 'all' ? (
        <p className="muted">
          {kind === undefined ? 'Queries are left out.' : 'Queries are among these.'}{' '}
          <Link to="/activity" search={{ ...filters, kind: kind === undefined ? 'all' : undefined }} resetScroll={false}>
            {kind === undefined ? 'Show queries too' : 'Leave queries out'}
          </Link>
        </p>
      ) : null}
      {query.error === null ? null : <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {last?.index === undefined ? null : <Behind isMissing={last.index === 'missing'} />}
      {query.data === undefined ? (
        query.error === null && <Skeleton lines={12} />
      ) : rows.length === 0 && !hasMore ? (
        chips.length === 0 ? (
          <Empty title="Nothing is recorded yet">What operators do, ask and are refused appears here.</Empty>
        ) : (
          <EmptyByFilters onClear={() => apply({})} />
        )
      ) : (
        <>
          <Table
            caption="Activity, newest first"
            columns={COLUMNS}
            rows={rows}
            rowKey={(row) => keyed.get(row) ?? ''}
            isBusy={query.isFetching && !isLoadingMore}
          />
          {last?.isCutShort === true ? <CutShort /> : null}
          <LoadMore shown={rows.length} hasMore={hasMore} isLoading={isLoadingMore} onMore={loadMore} />
        </>
      )}
    </Page>
  );
};

interface FiltersProps {
  readonly filters: ActivityFilters;
  readonly onApply: (filters: ActivityFilters) => void;
}

const Filters = ({ filters, onApply }: FiltersProps): ReactNode => {
  const [faults, setFaults] = useState<ReturnType<typeof activityFaults>>({});
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const written = [...new FormData(form)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value.trim()]] : []));
    const { tab: _tab, at: _at, from: _from, ...next } = activitySearch(Object.fromEntries(written) as Readonly<Record<string, unknown>>);
    const found = activityFaults(next);
    setFaults(found);
    const [first] = Object.keys(found);
    if (first === undefined) onApply(next);
    else focusField(form, first);
  };
  return (
    <form className="quick-filters activity-filters" role="search" aria-label="Activity" noValidate onSubmit={submit}>
      <Field label="Person" error={faults.person}>
        {(tied) => <input {...tied} name="person" defaultValue={filters.person} autoComplete="off" spellCheck={false} />}
      </Field>
      <Field label="Kind">
        {(tied) => (
          <select {...tied} name="kind" defaultValue={filters.kind ?? ''}>
            <option value="">All but queries</option>
            {ACTIVITY_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {KIND_WORDS[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Name" error={faults.name}>
        {(tied) => (
          <input
            {...tied}
            name="name"
            placeholder="such as return-order"
            defaultValue={filters.name}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <Field label="About" error={faults.target}>
        {(tied) => (
          <input
            {...tied}
            name="target"
            placeholder="order, case, gate"
            defaultValue={filters.target}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <TimeField label="Since" name="since" initial={filters.since} />
      <TimeField label="Until" name="until" initial={filters.until} error={faults.until} />
      <div className="quick-buttons">
        <button type="submit" className="primary">
          Filter
        </button>
      </div>
    </form>
  );
};
