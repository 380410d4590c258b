import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { configurationChanges } from '@app/investigation/words';
import { usePages, useReading } from '../../app/reading';
import { plural } from '../../format';
import { port, PortRefusal, type Schemas } from '../../port';
import { Badge } from '../../ui/badge';
import { Changes } from '../../ui/changes';
import { Page, Section } from '../../ui/page';
import { CopyButton, Facts, LoadMore, OnDemand } from '../../ui/parts';
import { ErrorNotice, Notice, Result, Skeleton } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { justBefore } from './activity-words';

type Shown = Schemas['ShownConfiguration'];
type Status = Schemas['ConfigurationStatus'];
type Process = Status['processes'][number];

const route = getRouteApi('/activity');
const HISTORY_ROWS = 50;
const SHORT = 12;

/** Undefined `at` is now. Each is a recorded query. */
const useConfiguration = (at: string | undefined, isEnabled = true) =>
  useReading({
    key: ['configuration', at ?? 'now'],
    ask: (signal) => port.GET('/audit/configuration', { params: { query: at === undefined ? {} : { at } }, signal }),
    isEnabled,
  });

/** The configuration in force at a time, what it changed, and all others before it. */
export const Configuration = ({ tabs }: { readonly tabs: ReactNode }): ReactNode => {
  const { at, from } = route.useSearch();
  const shown = useConfiguration(at);
  const earlierAt = from ?? (shown.data === undefined ? undefined : justBefore(shown.data.tookEffectAt));
  const earlier = useConfiguration(earlierAt, earlierAt !== undefined);
  return (
    <Page
      title="Configuration and activity"
      heading="Configuration"
      lead={
        at === undefined ? (
          'In force now, with key ids in place of secrets.'
        ) : (
          <>
            In force at <Time at={at} />.{' '}
            <Link to="/activity" search={{ tab: 'configuration' }}>
              Show the present one
            </Link>
          </>
        )
      }
    >
      {tabs}
      <ProcessesOf />
      <div className="configuration">
        <div className="configuration-main">
          <Result query={shown}>
            {(configuration) => (
              <>
                <Section title="In force" isCard>
                  <Facts
                    facts={[
                      { label: 'Digest', value: <Digest digest={configuration.digest} /> },
                      { label: 'Took effect', value: <Time at={configuration.tookEffectAt} /> },
                      {
                        label: 'Replaced',
                        value: configuration.replacedAt === null ? 'not yet' : <Time at={configuration.replacedAt} />,
                      },
                      { label: 'First process', value: <code title={configuration.process}>{configuration.process.slice(0, 13)}…</code> },
                      { label: 'Keys', value: plural(configuration.keys.length, 'key') },
                    ]}
                  />
                  {configuration.configuration === null ? (
                    <Notice tone="warn" icon="warning" title="There is no copy of this configuration">
                      {configuration.omitted === 'too-large' ? 'It was too large to record.' : 'A part of it resembled a card number.'} Its
                      digest is recorded.
                    </Notice>
                  ) : (
                    <OnDemand summary="Show the whole configuration">
                      {() => (
                        <pre className="configuration-copy" tabIndex={0}>
                          {JSON.stringify(configuration.configuration, null, 2)}
                        </pre>
                      )}
                    </OnDemand>
                  )}
                </Section>
                <Section title={from === undefined ? 'What it changed' : 'Changes between the two times'} isCard>
                  <Difference from={from} earlier={earlier.data} error={earlier.error} shown={configuration} />
                </Section>
              </>
            )}
          </Result>
        </div>
        <History wanted={at} shownAt={shown.data?.tookEffectAt} from={from} />
      </div>
    </Page>
  );
};

/** The beginning of a digest tells configurations apart; the copy has all of it. */
const Digest = ({ digest }: { readonly digest: string }): ReactNode => (
  <span className="id">
    <code title={digest}>{digest.slice(0, SHORT)}…</code>
    <CopyButton text={digest} what="digest" />
  </span>
);

interface DifferenceProps {
  readonly from: string | undefined;
  readonly earlier: Shown | undefined;
  readonly error: Error | null;
  readonly shown: Shown;
}

const Difference = ({ from, earlier, error, shown }: DifferenceProps): ReactNode => {
  if (error instanceof PortRefusal && error.status === 404) return <p className="muted">It is the first recorded configuration.</p>;
  if (error !== null) return <ErrorNotice error={error} />;
  if (earlier === undefined) return <Skeleton lines={3} />;
  if (earlier.configuration === null || shown.configuration === null)
    return <p className="muted">One of the two has no copy, so that only the digests can be compared.</p>;
  const changes = configurationChanges(JSON.stringify(earlier.configuration), JSON.stringify(shown.configuration));
  if (changes.length === 0)
    return (
      <p className="muted">
        {from === undefined && earlier.digest === shown.digest
          ? 'Nothing: a process started with the same configuration.'
          : 'Nothing: both are the same.'}
      </p>
    );
  return (
    <>
      <p className="muted">
        {plural(changes.length, 'change')} since the configuration of <Time at={earlier.tookEffectAt} />.
      </p>
      <Changes changes={changes} />
    </>
  );
};

const isDifferent = ({ digest }: Status, process: Process): boolean => process.digest !== digest || process.outcome === 'kept';

const PROCESS_COLUMNS = (status: Status): readonly Column<Process>[] => [
  { key: 'process', head: 'Process', cell: ({ process }) => <code>{process}</code> },
  {
    key: 'outcome',
    head: 'State',
    cell: (process) =>
      isDifferent(status, process) ? <Badge tone="bad">Other configuration</Badge> : <Badge tone="ok">Same configuration</Badge>,
  },
  { key: 'digest', head: 'Digest', cell: ({ digest }) => <code title={digest}>{digest.slice(0, SHORT)}…</code> },
  { key: 'at', head: 'Reported', cell: ({ at }) => <Time at={at} /> },
  { key: 'why', head: 'Why it kept its own', cell: ({ why }) => why ?? <span className="none">—</span>, isText: true },
];

/** Says nothing as long as every process has the same configuration. */
const ProcessesOf = (): ReactNode => {
  const query = useReading({ key: ['configuration', 'status'], ask: (signal) => port.GET('/configuration/status', { signal }) });
  if (query.error !== null) return <ErrorNotice error={query.error} />;
  const status = query.data;
  if (status === undefined) return null;
  const different = status.processes.filter((process) => isDifferent(status, process));
  const isApplied = status.applied === null || status.applied.digest === status.digest;
  if (different.length === 0 && isApplied) return null;
  return (
    <Section title="Processes differ">
      <Notice tone="bad" icon="warning" title="Not every process has the same configuration">
        {isApplied ? null : 'This process does not have the last applied configuration. '}
        {plural(different.length, 'process', 'processes')} of {status.processes.length} reported another one. A process that has ended stays
        in the list until the next change. Compare the files, then apply again.
      </Notice>
      <Table
        caption="Processes and their configuration"
        columns={PROCESS_COLUMNS(status)}
        rows={status.processes}
        rowKey={({ process }) => process}
        isShort
      />
    </Section>
  );
};

interface HistoryProps {
  /** The time of the address. */
  readonly wanted: string | undefined;
  readonly shownAt: string | undefined;
  readonly from: string | undefined;
}

/** All configurations that took effect, newest first. */
const History = ({ wanted, shownAt, from }: HistoryProps): ReactNode => {
  const { pages, query, hasMore, isLoadingMore, loadMore } = usePages({
    key: ['activity', 'configurations'],
    ask: (cursor, signal) =>
      port.GET('/activity', {
        params: {
          query: { kind: 'configuration', name: 'ConfigurationTookEffect', limit: HISTORY_ROWS, ...(cursor !== undefined && { cursor }) },
        },
        signal,
      }),
  });
  const rows = pages.flatMap(({ activity }) => activity);
  return (
    <Section title="History" className="configuration-history">
      <Result query={query} lines={4}>
        {() => (
          <>
            <ol className="history">
              {rows.map(({ at, target }, index) => {
                const isRestart = rows[index + 1]?.target === target;
                const isShown = at === shownAt;
                return (
                  <li key={at} aria-current={isShown ? 'true' : undefined}>
                    <Link to="/activity" search={{ tab: 'configuration', at }} resetScroll={false}>
                      <Time at={at} />
                    </Link>
                    <span className="muted">
                      <code title={target ?? undefined}>{target?.slice(0, SHORT)}</code>
                      {isRestart ? ', a start with the same' : null}
                    </span>
                    {isShown || shownAt === undefined || Date.parse(at) > Date.parse(shownAt) ? null : (
                      <Link
                        to="/activity"
                        search={{ tab: 'configuration', at: wanted, from: at }}
                        aria-current={from === at ? 'true' : undefined}
                        resetScroll={false}
                        className="history-compare"
                      >
                        {from === at ? 'Compared' : 'Compare'}
                      </Link>
                    )}
                  </li>
                );
              })}
            </ol>
            <LoadMore shown={rows.length} hasMore={hasMore} isLoading={isLoadingMore} onMore={loadMore} />
          </>
        )}
      </Result>
    </Section>
  );
};
