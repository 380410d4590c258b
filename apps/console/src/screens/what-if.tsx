import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import { queries, usePages, useReading } from '../app/reading';
import { count, plural } from '../format';
import { answerOf, port, PortRefusal, type Schemas } from '../port';
import { Badge } from '../ui/badge';
import { Field } from '../ui/field';
import { Page, Section } from '../ui/page';
import { Facts, LoadMore, Money, Tabs } from '../ui/parts';
import { CutShort, Empty, ErrorNotice, Notice, Result } from '../ui/states';
import { Table, type Column } from '../ui/table';
import { Time } from '../ui/time';
import { alarm, tell } from '../ui/toasts';
import { entryPointsOf, rulesFileOf, type EntryPoint } from './entry-points';
import { changeText, endText, faultsOf, lengthsOf, NOT_KNOWN, STATES, type RuleFault } from './what-if-words';
import type { WhatIfSearch } from './what-if.search';

type WhatIfRun = Schemas['WhatIfJson'];
type RunResult = Schemas['WhatIfResultJson'];
type Ends = RunResult['ends'];
type Differing = Schemas['WhatIfOrderJson'];

const route = getRouteApi('/what-if');

const RULES_LENGTH_MAX = 15_000;
const DRAFT = 'what-if draft';
// A draft stays until its author signs out.
queries.setQueryDefaults([DRAFT], { gcTime: Infinity });

const FAST_MS = 1_000;
const SLOW_MS = 5_000;
const FAST_TIMES = 60;
/** About an hour in all. Then somebody must ask. */
const TIMES_MAX = 800;
const pace = (timesAsked: number): number | false => (timesAsked >= TIMES_MAX ? false : timesAsked < FAST_TIMES ? FAST_MS : SLOW_MS);

export const WhatIf = (): ReactNode => {
  const { tab, run } = route.useSearch();
  const list = useReading({
    key: ['/what-ifs'],
    ask: (signal) => port.GET('/what-ifs', { signal }),
    everyMs: (data, timesAsked) => (data?.whatIfs.some(({ state }) => state === 'running') === true ? pace(timesAsked) : false),
  });
  return (
    <Page
      title="What-if"
      lead="Decides every order of the past again under other rules. No gate is called, and no order changes."
      actions={
        run === undefined && tab !== 'forecast' ? undefined : (
          <Link to="/what-if" search={{}} activeOptions={{ exact: true }} className="button">
            New what-if
          </Link>
        )
      }
    >
      <div className="what-if">
        <div className="section">
          {tab === 'forecast' ? <Forecast /> : run === undefined ? <Editor /> : <Run key={run} whatIfId={run} />}
        </div>
        <aside aria-label="Kept what-ifs" className="section">
          <h2>Kept what-ifs</h2>
          <Result query={list} lines={3}>
            {({ whatIfs }) =>
              whatIfs.length === 0 ? (
                <p className="muted">None yet.</p>
              ) : (
                <ul className="kept">
                  {whatIfs.map((one) => (
                    <KeptRun key={one.whatIfId} whatIf={one} isCurrent={one.whatIfId === run} />
                  ))}
                </ul>
              )
            }
          </Result>
          <p className="muted small">The newest 20 of the process that answers.</p>
          <Link to="/what-if" search={{ tab: 'forecast' }}>
            Forecast of the configuration
          </Link>
        </aside>
      </div>
    </Page>
  );
};

const StateBadge = ({ state }: Pick<WhatIfRun, 'state'>): ReactNode => {
  const [tone, word] = STATES[state];
  return <Badge tone={tone}>{word}</Badge>;
};

const subjectOf = ({ endpoints }: WhatIfRun): string => {
  if (endpoints === null) return 'Other rules';
  const [first, ...others] = endpoints;
  if (first === undefined) return 'Other rules';
  return `${first.merchant} ${first.endpointId}${others.length === 0 ? '' : ` and ${plural(others.length, 'other')}`}`;
};

const KeptRun = ({ whatIf, isCurrent }: { readonly whatIf: WhatIfRun; readonly isCurrent: boolean }): ReactNode => {
  const { whatIfId, state, startedBy, startedAt, orders } = whatIf;
  return (
    <li>
      <Link to="/what-if" search={{ run: whatIfId }} activeProps={{}} aria-current={isCurrent ? 'page' : undefined}>
        <span className="kept-head">
          <strong>{subjectOf(whatIf)}</strong>
          <StateBadge state={state} />
        </span>
        <span className="muted small">
          {startedBy}, <Time at={startedAt} isRelative />, {plural(orders, 'order')}
        </span>
      </Link>
    </li>
  );
};

const EXAMPLE = `merchants:
  - login: acme
    endpoints:
      - id: "1001"
        gates: [gate-b, gate-a]
        routing:
          - name: large
            when: { amountFrom: "100.00" }
            then: { cascade: [gate-b] }`;

const Editor = (): ReactNode => {
  const search = route.useSearch();
  const configuration = useReading({
    key: ['/audit/configuration'],
    ask: (signal) => port.GET('/audit/configuration', { signal }),
  });
  // Without the configuration one can still write rules.
  if (configuration.data === undefined && configuration.error === null) return <Result query={configuration}>{() => null}</Result>;
  const entryPoints = entryPointsOf(configuration.data?.configuration);
  return <RulesForm key={search.endpoint ?? ''} search={search} entryPoints={entryPoints} />;
};

interface RulesFormProps {
  readonly search: WhatIfSearch;
  readonly entryPoints: readonly EntryPoint[];
}

const instantOf = (minute: string | undefined): string | undefined => (minute === undefined ? undefined : `${minute}:00Z`);

const RulesForm = ({ search, entryPoints }: RulesFormProps): ReactNode => {
  const { endpoint, from, before, merchant } = search;
  const navigate = useNavigate();
  const draftKey = [DRAFT, endpoint ?? ''];
  const chosen = entryPoints.find(({ id }) => id === endpoint);
  const original = chosen === undefined ? '' : rulesFileOf(chosen);
  const [text, setText] = useState(() => queries.getQueryData<string>(draftKey) ?? original);
  const [faults, setFaults] = useState<readonly RuleFault[]>([]);
  const [failure, setFailure] = useState<Error>();
  const [isStarting, setStarting] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);

  const write = (next: string): void => {
    setText(next);
    queries.setQueryData(draftKey, next);
  };
  const change = (changes: Partial<WhatIfSearch>): void =>
    void navigate({ to: '/what-if', search: { ...search, ...changes }, replace: true, resetScroll: false });

  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isStarting) return;
    setFaults([]);
    setFailure(undefined);
    if (text.trim() === '') {
      setFaults([{ line: undefined, text: 'Write the rules to try, or choose an entry point to begin with its rules.' }]);
      area.current?.focus();
      return;
    }
    const times = { from: instantOf(from), before: instantOf(before) };
    setStarting(true);
    try {
      const started = await answerOf(
        port.POST('/what-ifs', {
          body: {
            rules: text,
            ...(times.from !== undefined && { from: times.from }),
            ...(times.before !== undefined && { before: times.before }),
            ...(merchant !== undefined && { merchant }),
          },
        }),
      );
      queries.setQueryData(['/what-ifs', started.whatIfId], started);
      void queries.invalidateQueries({ queryKey: ['/what-ifs'], exact: true });
      await navigate({ to: '/what-if', search: { run: started.whatIfId } });
    } catch (error) {
      setStarting(false);
      if (error instanceof PortRefusal && error.status === 400) {
        setFaults(faultsOf(error.message));
        area.current?.focus();
      } else setFailure(error instanceof Error ? error : new Error(String(error)));
    }
  };

  const merchants = [...new Set(entryPoints.map(({ merchant: login }) => login))];
  return (
    <form className="section card" noValidate onSubmit={(event) => void start(event)} aria-busy={isStarting}>
      <h2>Rules to try</h2>
      <div className="field-pair">
        <Field label="Entry point" hint="The editor begins with its rules in force.">
          {(tied) =>
            entryPoints.length === 0 ? (
              <input {...tied} value={endpoint ?? ''} readOnly />
            ) : (
              <select {...tied} value={chosen?.id ?? ''} onChange={({ target }) => change({ endpoint: target.value || undefined })}>
                <option value="">None</option>
                {entryPoints.map(({ merchant: login, id, currency }) => (
                  <option key={`${login} ${id}`} value={id}>
                    {login} {id}, {currency}
                  </option>
                ))}
              </select>
            )
          }
        </Field>
        <Field label="Orders from" isOptional hint="UTC">
          {(tied) => (
            <input
              {...tied}
              type="datetime-local"
              value={from ?? ''}
              onChange={({ target }) => change({ from: target.value || undefined })}
            />
          )}
        </Field>
        <Field label="Orders before" isOptional hint="UTC">
          {(tied) => (
            <input
              {...tied}
              type="datetime-local"
              value={before ?? ''}
              onChange={({ target }) => change({ before: target.value || undefined })}
            />
          )}
        </Field>
        <Field label="Orders of">
          {(tied) => (
            <select {...tied} value={merchant ?? ''} onChange={({ target }) => change({ merchant: target.value || undefined })}>
              <option value="">all merchants</option>
              {merchants.map((login) => (
                <option key={login} value={login}>
                  {login}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <RulesField text={text} faults={faults} onWrite={write} area={area} />
      {failure === undefined ? null : <ErrorNotice error={failure} />}
      <div className="page-actions">
        <button type="submit" className="primary" aria-disabled={isStarting}>
          {isStarting ? 'Starting…' : 'Start the what-if'}
        </button>
        {chosen === undefined || text === original ? null : (
          <button
            type="button"
            className="quiet"
            onClick={() => {
              write(original);
              setFaults([]);
            }}
          >
            Back to the rules in force
          </button>
        )}
      </div>
    </form>
  );
};

interface RulesFieldProps {
  readonly text: string;
  readonly faults: readonly RuleFault[];
  readonly onWrite: (text: string) => void;
  readonly area: React.RefObject<HTMLTextAreaElement | null>;
}

const ROWS_MIN = 14;
const ROWS_MAX = 34;

const RulesField = ({ text, faults, onWrite, area }: RulesFieldProps): ReactNode => {
  const numbers = useRef<HTMLOListElement>(null);
  const lines = text.split('\n');
  const faulty = new Set(faults.map(({ line }) => line));
  const goTo = (line: number): void => {
    const start = lines.slice(0, line - 1).reduce((length, one) => length + one.length + 1, 0);
    area.current?.focus();
    area.current?.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  return (
    <Field
      label="Rules"
      hint="gates, screening and routing of an entry point, as YAML or JSON. A section that is left out stays as each order had it; none removes it."
      error={faults.length === 0 ? undefined : `${plural(faults.length, 'fault')}. Nothing was started.`}
    >
      {(tied) => (
        <>
          <div className="rules-editor">
            <ol ref={numbers} aria-hidden="true">
              {lines.map((_, index) => (
                <li key={index} className={faulty.has(index + 1) ? 'faulty' : undefined}>
                  {index + 1}
                </li>
              ))}
            </ol>
            <textarea
              {...tied}
              ref={area}
              value={text}
              onChange={({ target }) => onWrite(target.value)}
              onScroll={({ currentTarget }) => {
                if (numbers.current !== null) numbers.current.scrollTop = currentTarget.scrollTop;
              }}
              placeholder={EXAMPLE}
              rows={Math.min(Math.max(lines.length + 1, ROWS_MIN), ROWS_MAX)}
              maxLength={RULES_LENGTH_MAX}
              wrap="off"
              spellCheck={false}
              autoComplete="off"
              autoCapitalize="off"
            />
          </div>
          {faults.length === 0 ? null : (
            <ul className="rule-faults" aria-label="Faults of the rules">
              {faults.map(({ line, text: fault }, index) => (
                <li key={index}>
                  {line === undefined ? null : (
                    <button type="button" className="quiet" onClick={() => goTo(line)}>
                      Line {line}
                    </button>
                  )}
                  <span>{fault}</span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Field>
  );
};

const Run = ({ whatIfId }: { readonly whatIfId: string }): ReactNode => {
  const query = useReading({
    key: ['/what-ifs', whatIfId],
    ask: (signal) => port.GET('/what-ifs/{whatIfId}', { params: { path: { whatIfId } }, signal }),
    everyMs: (data, timesAsked) => (data === undefined || data.state === 'running' ? pace(timesAsked) : false),
  });
  return <Result query={query}>{(whatIf) => <ShownRun whatIf={whatIf} onAsk={() => void query.refetch()} />}</Result>;
};

const rangeOf = ({ from, before }: Pick<WhatIfRun, 'before' | 'from'>): ReactNode => {
  if (from === null && before === null) return 'all';
  return (
    <>
      {from === null ? null : (
        <>
          from <Time at={from} />
        </>
      )}{' '}
      {before === null ? null : (
        <>
          before <Time at={before} />
        </>
      )}
    </>
  );
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

const CLASSES = [
  ['same', 'As before', 'By the same rule and gate, or under unchanged rules.'],
  ['same-outcome', 'Same end, another way', 'Another rule or gate, with the same end and amount.'],
  ['differs', 'Another end', 'With another end or amount.'],
  ['cannot-know', 'Cannot be known', 'Nobody knows what would have happened.'],
] as const;

type Row = RunResult['rules'][number];

const Bar = ({ length, kind }: { readonly length: number; readonly kind: 'calm' | 'info' }): ReactNode => (
  <svg className={`measure ${kind}`} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    <rect width={length} height={4} />
  </svg>
);

const columnsOf = (rows: readonly Row[]): readonly Column<Row>[] => [
  { key: 'by', head: 'Rule', cell: ({ by }) => by },
  { key: 'orders', head: 'Orders', isNumber: true, cell: ({ orders }) => count(orders) },
  {
    key: 'was',
    head: 'Approved before',
    isNumber: true,
    cell: (row) => (
      <>
        <Money amount={row.wasApproved} currency={row.currency} />
        <Bar length={lengthsOf(row, rows).was} kind="calm" />
      </>
    ),
  },
  {
    key: 'would',
    head: 'Approved after',
    isNumber: true,
    cell: (row) => (
      <>
        <Money amount={row.wouldBeApproved} currency={row.currency} />
        <Bar length={lengthsOf(row, rows).would} kind="info" />
      </>
    ),
  },
  {
    key: 'change',
    head: 'Change of what is known',
    isNumber: true,
    cell: ({ wasApproved, wouldBeApproved, currency }) => (
      <span className="money">{changeText(wasApproved, wouldBeApproved, currency)}</span>
    ),
  },
  {
    key: 'notKnown',
    head: 'Cannot be known, and in no other sum',
    isText: true,
    cell: (row) =>
      row.notKnown === 0 ? (
        <span className="none">none</span>
      ) : (
        <span className="not-known">
          <span className="hatch" aria-hidden="true" />
          <span>
            {plural(row.notKnown, 'order')} of <Money amount={row.notKnownAskedFor} currency={row.currency} />; of these,{' '}
            <Money amount={row.notKnownWasApproved} currency={row.currency} /> was approved
            <svg className="measure hatched" aria-hidden="true">
              <rect width={`${lengthsOf(row, rows).notKnown}%`} height="100%" fill="url(#hatching)" />
            </svg>
          </span>
        </span>
      ),
  },
];

const ResultTables = ({ result }: { readonly result: RunResult }): ReactNode => {
  const { classes, notKnown, drawnAnew, unreadable, isIncomplete, ends, rules } = result;
  return (
    <div className="stack">
      <svg className="hidden" aria-hidden="true">
        <pattern id="hatching" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className="hatching-line" width="2.5" height="6" />
        </pattern>
      </svg>
      <dl className="classes">
        {CLASSES.map(([name, word, meaning]) => (
          <div key={name} className={name === 'cannot-know' ? 'cannot-know' : undefined}>
            <dt>{word}</dt>
            <dd>
              <b>{count(classes[name])}</b>
              <small>{meaning}</small>
            </dd>
          </div>
        ))}
      </dl>
      {isIncomplete ? (
        <CutShort>More orders were open, or more cards counted, than are followed at one time. Counts may be too low.</CutShort>
      ) : null}
      {unreadable > 0 ? (
        <Notice tone="warn" icon="warning" title={`${plural(unreadable, 'order')} could not be read`}>
          They are not counted. Verify the log.
        </Notice>
      ) : null}
      <Section title="Amounts by rule and currency">
        {rules.length === 0 ? (
          <Empty title="No order is decided by a changed rule" />
        ) : (
          <Table
            caption="Approved amounts before and after"
            columns={columnsOf(rules)}
            rows={rules}
            rowKey={({ by, currency }) => `${by} ${currency}`}
            isShort
          />
        )}
      </Section>
      {classes['cannot-know'] === 0 ? null : (
        <Section title="Why a result cannot be known">
          <ul className="route-list">
            {Object.entries(notKnown).map(([why, orders]) => (
              <li key={why}>
                {plural(orders, 'order')}: it depends on {NOT_KNOWN[why as keyof typeof notKnown]}.
              </li>
            ))}
          </ul>
        </Section>
      )}
      {drawnAnew > 0 ? (
        <p className="muted">
          {plural(drawnAnew, 'order')} had no recorded draw of a split, so a new one was made. Another run may draw otherwise.
        </p>
      ) : null}
      <EndsTable ends={ends} title="Ends of the orders under changed rules" />
    </div>
  );
};

const OUTCOMES: Readonly<Record<Ends[number]['outcome'], string>> = {
  approved: 'Approved',
  declined: 'Declined',
  error: 'Error',
  filtered: 'Filtered',
  unknown: 'Cannot be known',
};

const END_COLUMNS: readonly Column<Ends[number]>[] = [
  {
    key: 'outcome',
    head: 'End',
    cell: ({ outcome, gate }) => (
      <span className="not-known">
        {outcome === 'unknown' ? <span className="hatch" aria-hidden="true" /> : null}
        {OUTCOMES[outcome]}
        {gate === null ? '' : ` at ${gate}`}
      </span>
    ),
  },
  { key: 'was', head: 'Before', isNumber: true, cell: ({ was }) => count(was) },
  { key: 'would', head: 'After', isNumber: true, cell: ({ would }) => count(would) },
];

const EndsTable = ({ ends, title }: { readonly ends: Ends; readonly title: string }): ReactNode =>
  ends.length === 0 ? null : (
    <Section title={title} className="ends">
      <Table
        caption={`${title}, before and after`}
        columns={END_COLUMNS}
        rows={ends}
        rowKey={({ outcome, gate }) => `${outcome} ${gate}`}
        isShort
      />
    </Section>
  );

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

const Forecast = (): ReactNode => {
  const query = useReading({
    key: ['/configuration/forecast'],
    ask: (signal) => port.GET('/configuration/forecast', { signal }),
  });
  if (query.error instanceof PortRefusal && query.error.status === 404)
    return (
      <Empty title="No forecast">
        A configuration has a forecast if a what-if with exactly its rules was named as the reason when it was applied.
      </Empty>
    );
  return (
    <Result query={query}>
      {({ digest, appliedAt, replacedAt, whatIfId, expected }) => (
        <div className="stack">
          <Section title="What the applied configuration was expected to do" isCard>
            <Facts
              facts={[
                { label: 'Configuration', value: <code title={digest}>{digest.slice(0, 12)}…</code> },
                { label: 'Applied', value: <Time at={appliedAt} /> },
                { label: 'Replaced', value: replacedAt === null ? 'No, it is in force' : <Time at={replacedAt} /> },
                {
                  label: 'Entry points',
                  value: expected.endpoints.map(({ merchant, endpointId }) => `${merchant} ${endpointId}`).join(', '),
                },
                { label: 'Learned from orders accepted', value: rangeOf(expected) },
              ]}
            />
            <p>
              <Link to="/what-if" search={{ run: whatIfId }}>
                The what-if that was its reason
              </Link>
              <span className="muted">, if the process that answers still keeps it.</span>
            </p>
          </Section>
          <EndsTable ends={expected.ends} title="Expected ends" />
        </div>
      )}
    </Result>
  );
};
