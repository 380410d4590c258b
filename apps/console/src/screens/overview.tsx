import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useReading } from '../app/reading';
import { useSession } from '../app/session';
import { count, duration, personOf, plural } from '../format';
import { port, type Schemas } from '../port';
import { Badge, type Tone } from '../ui/badge';
import { StackedBars, type Series } from '../ui/charts';
import { Icon } from '../ui/icons';
import { Page, Section } from '../ui/page';
import { CopyButton, Money } from '../ui/parts';
import { Empty, Notice, Result } from '../ui/states';
import { Table } from '../ui/table';
import { Age, Time, useNow } from '../ui/time';
import { healthOf, totalOf, failingGates } from './gate-health';
import { GateTable } from './gate-table';
import { NEW_ORDERS } from './gate-words';
import { ALERT_WORDS, countOf, failingByReason, outcomesByMinute } from './overview-words';
import type { QueuesSearch } from './queues.search';

type Overview = Schemas['Overview'];

/** Ages and alerts change without an event. */
const ASK_EVERY_MS = 30_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** From here on somebody should know. */
const BEHIND_SECONDS = 10;
const DELIVERIES_MAX = 500;
const APPROVALS_MAX = 100;

/** For an operator on call: faults, since when, and the way to act on them. */
export const Overview = (): ReactNode => {
  const overview = useReading({
    key: ['/overview'],
    ask: (signal) => port.GET('/overview', { signal }),
    live: 'all',
    everyMs: ASK_EVERY_MS,
  });
  return (
    <Page
      title="Overview"
      lead={
        overview.data === undefined ? undefined : (
          <>
            As of <Time at={overview.data.at} />
          </>
        )
      }
    >
      <Result query={overview} lines={12}>
        {(data) => <Parts data={data} />}
      </Result>
    </Page>
  );
};

const Parts = ({ data }: { readonly data: Overview }): ReactNode => (
  <div className="overview">
    <Unread names={data.unavailable} />
    <Alerts alerts={data.alerts} />
    <Work data={data} />
    <div className="overview-pair">
      <LastHour data={data} />
      <Gates heldEndpoints={data.heldEndpoints} />
    </div>
    <div className="overview-pair">
      <Callbacks callbacks={data.callbacks} />
      <Service data={data} />
    </div>
    <Alone approvals={data.actionsAlone} />
  </div>
);

const PART_WORDS: Readonly<Record<string, string>> = {
  unknownOutcomes: 'unknown outcomes',
  callbacks: 'callbacks',
  reconciliationCases: 'reconciliation cases',
  disputes: 'disputes',
  parkedStreams: 'parked streams',
  projections: 'state of the lists',
  lastHour: 'the last hour',
  actionsAlone: 'actions without approval',
};

const Unread = ({ names }: { readonly names: readonly string[] }): ReactNode =>
  names.length === 0 ? null : (
    <Notice tone="warn" icon="warning" title="Some parts could not be read" isAlert>
      Missing below, which does not mean zero: {names.map((name) => PART_WORDS[name] ?? name).join(', ')}.
    </Notice>
  );

const useGates = () =>
  useReading({
    key: ['/gates'],
    ask: (signal) => port.GET('/gates', { signal }),
    live: 'all',
    everyMs: ASK_EVERY_MS,
  });

/** Failing gates come first, because a gate can fail before an alert fires. */
const Alerts = ({ alerts }: { readonly alerts: Overview['alerts'] }): ReactNode => {
  const { data, isPending } = useGates();
  const now = useNow();
  const gates = failingGates(data?.gates ?? [], now);
  if (gates.length + alerts.length === 0)
    return isPending ? null : (
      <p className="all-well">
        <Badge tone="ok">No alert fires</Badge>
      </p>
    );
  const title = [
    ...(gates.length === 0 ? [] : [`${plural(gates.length, 'gate')} failing`]),
    ...(alerts.length === 0 ? [] : [plural(alerts.length, 'alert')]),
  ].join(', ');
  return (
    <Section title={title} className="alerts">
      <ul>
        {gates.map((gate) => (
          <FailingGate key={gate.alias} gate={gate} nowMs={now} />
        ))}
        {alerts.map(({ name, runbook, value }) => {
          const { title, detail, link } = ALERT_WORDS[name];
          return (
            <li key={name} className="alert">
              <Icon name="warning" />
              <div className="alert-text">
                <Link {...link}>{title}</Link>
                <span>{detail(value)}</span>
              </div>
              <span className="runbook">
                <code>{runbook}</code>
                <CopyButton text={runbook} what="runbook section" />
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
};

const FailingGate = ({ gate, nowMs }: { readonly gate: Schemas['ListedGate']; readonly nowMs: number }): ReactNode => {
  const { alias, lastHour } = gate;
  const { kind, failing, since } = healthOf(gate, nowMs);
  const begun = failing?.since ?? since;
  return (
    <li className="alert">
      <Icon name="warning" />
      <div className="alert-text">
        <Link to="/gates" search={{ gate: alias }}>
          Gate {alias} {failing === undefined ? 'is avoided after failed calls' : 'fails'}
        </Link>
        <span>
          {begun === undefined ? null : (
            <>
              Since {failing?.isLonger === true ? 'before ' : ''}
              <Time at={begun} />.{' '}
            </>
          )}
          {lastHour === null
            ? null
            : `In the last hour ${count(lastHour.calls.unknown)} unknown and ${count(lastHour.calls.failed)} failed of ${plural(totalOf(lastHour.calls), 'call')}. `}
          {NEW_ORDERS[kind]}
        </span>
      </div>
    </li>
  );
};

interface CardProps {
  readonly title: string;
  readonly value: ReactNode;
  readonly tone?: Tone | undefined;
  readonly link: LinkProps;
  readonly children?: ReactNode;
}

/** A figure that leads to its list. */
const Card = ({ title, value, tone, link, children }: CardProps): ReactNode => (
  <li>
    <Link {...link} className={`figure-card ${tone ?? ''}`}>
      <span className="figure-title">{title}</span>
      <span className="figure">{value}</span>
      <span className="figure-note">{children}</span>
    </Link>
  </li>
);

const queue = (name: NonNullable<QueuesSearch['queue']>, filters: Readonly<Record<string, string>> = {}): LinkProps => ({
  to: '/queues',
  search: { queue: name, ...filters } as QueuesSearch,
});

const Oldest = ({ at }: { readonly at: string | null }): ReactNode =>
  at === null ? (
    'none'
  ) : (
    <span>
      oldest <Age since={at} />
    </span>
  );

const toneOf = (value: number, tone: Tone): Tone | undefined => (value > 0 ? tone : undefined);

const Work = ({ data }: { readonly data: Overview }): ReactNode => {
  const { unknownOutcomes, callbacks, reconciliationCases, disputes, parkedStreams } = data;
  const { can } = useSession();
  return (
    <Section title="Open work">
      <ul className="figures">
        {unknownOutcomes === null ? null : (
          <Card
            title="Unknown outcomes"
            value={countOf(unknownOutcomes)}
            tone={toneOf(unknownOutcomes.count, 'unknown')}
            link={queue('unknown')}
          >
            <Oldest at={unknownOutcomes.oldestAt} />
            {unknownOutcomes.amounts.map(({ currency, amount }) => (
              <strong key={currency}>
                <Money amount={amount} currency={currency} />
              </strong>
            ))}
          </Card>
        )}
        {callbacks === null ? null : (
          <>
            <Card
              title="Callbacks given up"
              value={countOf(callbacks.exhausted)}
              tone={toneOf(callbacks.exhausted.count, 'bad')}
              link={queue('callbacks', { state: 'exhausted' })}
            >
              <Oldest at={callbacks.exhausted.oldestAt} />
            </Card>
            <Card
              title="Callbacks waiting"
              value={countOf(callbacks.waiting)}
              tone={toneOf(callbacks.waiting.count, 'warn')}
              link={queue('callbacks', { state: 'waiting' })}
            >
              <Oldest at={callbacks.waiting.oldestAt} />
            </Card>
          </>
        )}
        {disputes === null ? null : <Disputes {...disputes} />}
        {reconciliationCases === null || !can('investigator') ? null : (
          <Card
            title="Reconciliation cases"
            value={countOf(reconciliationCases)}
            tone={toneOf(reconciliationCases.count, 'warn')}
            link={queue('cases')}
          >
            <Oldest at={reconciliationCases.oldestAt} />
          </Card>
        )}
        {parkedStreams === null ? null : (
          <Card title="Parked streams" value={countOf(parkedStreams)} tone={toneOf(parkedStreams.count, 'bad')} link={queue('parked')}>
            <Oldest at={parkedStreams.oldestAt} />
          </Card>
        )}
        {can('investigator') ? <Approvals /> : null}
      </ul>
    </Section>
  );
};

const Disputes = ({ overdue, withinThreeDays, later, withoutDay }: NonNullable<Overview['disputes']>): ReactNode => (
  <Card
    title="Disputes to answer"
    value={count(overdue + withinThreeDays + later + withoutDay)}
    tone={overdue > 0 ? 'bad' : toneOf(withinThreeDays, 'warn')}
    link={queue('disputes')}
  >
    {overdue > 0 ? <strong>{count(overdue)} overdue</strong> : null}
    {withinThreeDays > 0 ? <span>{count(withinThreeDays)} within three days</span> : null}
    {overdue + withinThreeDays === 0 ? (later + withoutDay > 0 ? 'none due soon' : 'none') : null}
  </Card>
);

/** Only proposals of others, because a person may not approve a proposal that they made. */
const Approvals = (): ReactNode => {
  const { name, can } = useSession();
  const waiting = useReading({
    key: ['/approvals', 'waiting', 'overview'],
    ask: (signal) => port.GET('/approvals', { signal, params: { query: { state: 'waiting', limit: APPROVALS_MAX } } }),
    everyMs: ASK_EVERY_MS,
  });
  if (waiting.data === undefined) return null;
  const { approvals, next } = waiting.data;
  const forMe = can('operator') ? approvals.filter(({ proposer }) => proposer !== name) : approvals;
  const [oldest] = forMe;
  return (
    <Card
      title={can('operator') ? 'Approvals for me' : 'Approvals waiting'}
      value={countOf({ count: forMe.length, ...(next === undefined ? {} : { isAtLeast: true as const }) })}
      tone={toneOf(forMe.length, 'info')}
      link={{ to: '/approvals' }}
    >
      <Oldest at={oldest?.proposedAt ?? null} />
    </Card>
  );
};

const OUTCOMES: readonly Series[] = [
  { key: 'approved', label: 'Approved', tone: 'ok' },
  { key: 'declined', label: 'Declined', tone: 'bad' },
  { key: 'filtered', label: 'Filtered', tone: 'calm' },
  { key: 'error', label: 'Error', tone: 'warn' },
];
/** Without them, an hour in which a gate answers nothing looks well. */
const CALLS: readonly Series[] = [
  { key: 'unknown', label: 'Unknown (gate calls)', tone: 'unknown' },
  { key: 'pending', label: 'Pending (gate calls)', tone: 'info' },
];

const LastHour = ({ data: { lastHour, at } }: { readonly data: Overview }): ReactNode => {
  const gates = useGates().data?.gates;
  if (lastHour === null) return null;
  const untilMs = (Math.floor(Date.parse(at) / MINUTE_MS) + 1) * MINUTE_MS;
  const calls = gates?.map((gate) => gate.lastHour?.minutes);
  const isWhole = calls?.every((minutes) => minutes !== undefined) === true;
  return (
    <Section title="Outcomes of the last hour" isCard>
      <StackedBars
        label={`Orders that ended in the last hour${isWhole ? ', and gate calls without an outcome' : ''}, by minute`}
        series={isWhole ? [...OUTCOMES, ...CALLS] : OUTCOMES}
        minutes={outcomesByMinute(lastHour.orders, calls?.flatMap((minutes) => minutes ?? []) ?? [])}
        fromMs={untilMs - HOUR_MS}
        untilMs={untilMs}
      />
      <p className="muted small">
        {isWhole
          ? 'An order counts when it ends. Unknown and pending are calls of gates: their orders have not ended, or ended later.'
          : 'An order counts when it ends. The unknown and pending calls of gates could not be read.'}
      </p>
    </Section>
  );
};

const Gates = ({ heldEndpoints }: { readonly heldEndpoints: Overview['heldEndpoints'] }): ReactNode => {
  const gates = useGates();
  return (
    <Section title="Gates in the last hour" isCard actions={<Link to="/gates">All gates</Link>}>
      {heldEndpoints.map(({ id, merchant, since, by }) => (
        <Notice key={id} tone="warn" icon="pause" title={`Entry point ${id}${merchant === undefined ? '' : ` of ${merchant}`} is held`}>
          Held by {personOf(by)} <Time at={since} isRelative />. It refuses new orders.
        </Notice>
      ))}
      <Result query={gates} lines={4}>
        {({ gates: all, until }) => <GateTable gates={all} until={until} />}
      </Result>
    </Section>
  );
};

const Callbacks = ({ callbacks }: { readonly callbacks: Overview['callbacks'] }): ReactNode => {
  const failing = (callbacks?.waiting.count ?? 0) + (callbacks?.exhausted.count ?? 0);
  const deliveries = useReading({
    // The counts are part of the key, so that the list is asked again only after they changed.
    key: ['/deliveries', 'overview', failing],
    ask: (signal) => port.GET('/deliveries', { signal, params: { query: { state: 'failed', limit: DELIVERIES_MAX } } }),
    isEnabled: failing > 0,
    keepsPrevious: true,
  });
  if (callbacks === null) return null;
  return (
    <Section title="Callbacks that fail" isCard actions={failing === 0 ? null : <Link {...queue('callbacks')}>All failed callbacks</Link>}>
      {failing === 0 ? (
        <Empty title="Every callback was delivered">No merchant waits for one.</Empty>
      ) : (
        <Result query={deliveries} lines={4}>
          {({ deliveries: all, next }) => (
            <>
              <Table
                isShort
                caption="Failed callbacks by merchant and reason"
                rows={failingByReason(all).slice(0, 10)}
                rowKey={({ merchant, reason }) => `${merchant} ${reason}`}
                rowLink={({ merchant }) => queue('callbacks', { merchant })}
                columns={[
                  { key: 'merchant', head: 'Merchant', cell: ({ merchant }) => merchant },
                  { key: 'reason', head: 'Latest result', isText: true, cell: ({ reason }) => reason },
                  { key: 'count', head: 'Callbacks', isNumber: true, cell: (group) => count(group.count) },
                  { key: 'exhausted', head: 'Given up', isNumber: true, cell: ({ exhausted }) => count(exhausted) },
                  { key: 'since', head: 'Since', cell: ({ since }) => <Age since={since} /> },
                ]}
              />
              {next === undefined ? null : <p className="muted">Of the {count(DELIVERIES_MAX)} oldest. There are more.</p>}
            </>
          )}
        </Result>
      )}
    </Section>
  );
};

const short = (digest: string): string => digest.slice(0, 10);

const Service = ({ data: { projections, log, configuration } }: { readonly data: Overview }): ReactNode => (
  <Section title="The service itself" isCard>
    <ul className="states">
      {projections === null ? null : (
        <li>
          <ListsState {...projections} />
        </li>
      )}
      {log === null ? null : <LogState {...log} />}
      {configuration === null ? null : <ConfigurationState {...configuration} />}
    </ul>
  </Section>
);

/** A busy service is a few seconds behind now and then. 0 seconds: a list that is not built yet has no age. */
const ListsState = ({ behind, behindSeconds }: NonNullable<Overview['projections']>): ReactNode => {
  const names = behind.join(', ');
  if (behind.length === 0)
    return (
      <>
        <Badge tone="ok">Lists up to date</Badge>
        <span>No list is more than two seconds behind the log.</span>
      </>
    );
  const isShort = behindSeconds > 0 && behindSeconds < BEHIND_SECONDS;
  return (
    <>
      {isShort ? <Badge tone="calm">Lists follow</Badge> : <Badge tone="warn">Lists behind</Badge>}
      <span>
        {names}: {behindSeconds === 0 ? 'not built yet' : `${duration(behindSeconds)} behind the log`}.
      </span>
    </>
  );
};

const LogState = ({ isSigning, checkpointEvents, checkpointAt, waitingSeconds, isFaulty }: NonNullable<Overview['log']>): ReactNode => (
  <li>
    {isFaulty ? (
      <Badge tone="bad">Log damaged</Badge>
    ) : isSigning ? (
      <Badge tone="ok" icon="shield">
        Log signed
      </Badge>
    ) : (
      <Badge tone="calm">Log not signed here</Badge>
    )}
    <span>
      {checkpointAt === null || checkpointEvents === null ? (
        'This process has signed no checkpoint.'
      ) : (
        <>
          Last checkpoint <Time at={checkpointAt} isRelative />, over {plural(checkpointEvents, 'event')}.
        </>
      )}{' '}
      {waitingSeconds > 0 ? `The oldest unsigned event is ${duration(waitingSeconds)} old.` : null} <Link to="/log">Log</Link>
    </span>
  </li>
);

const ConfigurationState = ({ digest, applied, processes }: NonNullable<Overview['configuration']>): ReactNode => {
  const differing = processes.filter((process) => process.outcome === 'kept' || process.digest !== digest);
  return (
    <li>
      {differing.length === 0 ? <Badge tone="ok">One configuration</Badge> : <Badge tone="bad">Configurations differ</Badge>}
      <span>
        <code title={digest}>{short(digest)}</code>
        {applied === null ? null : (
          <>
            , applied <Time at={applied.at} isRelative />
          </>
        )}
        {differing.length === 0 ? '.' : `, not in force in ${plural(differing.length, 'process', 'processes')}:`}
        {differing.map((process) => (
          <span key={process.process} className="differing">
            <code>{short(process.process)}</code> has <code>{short(process.digest)}</code>
            {process.why === null ? null : `: ${process.why}`} (<Time at={process.at} isRelative />)
          </span>
        ))}
      </span>
    </li>
  );
};

const Alone = ({ approvals }: { readonly approvals: Overview['actionsAlone'] }): ReactNode =>
  approvals === null || approvals.length === 0 ? null : (
    <Section title="Done without a second person, in the last seven days">
      <Table
        isShort
        caption="Actions of admins without the approval that the configuration requires"
        rows={approvals}
        rowKey={({ approvalId }) => approvalId}
        columns={[
          { key: 'who', head: 'Admin', cell: ({ proposer }) => proposer },
          { key: 'action', head: 'Action', cell: ({ action }) => action.replaceAll('-', ' ') },
          { key: 'target', head: 'Target', cell: ({ target }) => target },
          {
            key: 'amount',
            head: 'Amount',
            isNumber: true,
            cell: ({ amount, currency }) => (amount === null || currency === null ? '—' : <Money amount={amount} currency={currency} />),
          },
          { key: 'at', head: 'When', cell: ({ proposedAt }) => <Time at={proposedAt} /> },
        ]}
      />
    </Section>
  );
