import { getRouteApi, Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { resultMessage } from '@app/kernel/values/result-codes';
import { queries, useReading } from '../app/reading';
import { useSession } from '../app/session';
import { count, personOf, plural } from '../format';
import { answerOf, port, type Schemas } from '../port';
import { ActionDialog } from '../ui/action-dialog';
import { StackedBars, type Series } from '../ui/charts';
import { Field } from '../ui/field';
import { Page, Section } from '../ui/page';
import { Facts, Tabs } from '../ui/parts';
import { Empty, Notice, Result } from '../ui/states';
import { Table, type Column } from '../ui/table';
import { Time, useNow } from '../ui/time';
import { byHealth, healthOf, totalOf } from './gate-health';
import { GateTable, msText } from './gate-table';
import { CIRCUITS, NEW_ORDERS } from './gate-words';
import { Routing } from './routing-tab';

type Gate = Schemas['ListedGate'];
type Held = Schemas['HeldJson'];

const route = getRouteApi('/gates');

/** A circuit changes without an event of the log. */
const ASK_AGAIN_MS = 15_000;

const reloadHolds = (): void => {
  void queries.invalidateQueries({ queryKey: ['/gates'] });
  void queries.invalidateQueries({ queryKey: ['/holds'] });
};

export const Gates = (): ReactNode => {
  const { tab = 'gates' } = route.useSearch();
  return (
    <Page
      title="Gates and routing"
      lead={
        tab === 'routing'
          ? 'Which gates an order would try now, and why. Nothing is accepted or recorded.'
          : 'Which gates new orders use, and what their calls of the last hour returned.'
      }
    >
      <Tabs
        label="Gates and routing"
        current={tab}
        tabs={[
          { key: 'gates', label: 'Gates', link: { to: '/gates', search: { tab: undefined } } },
          { key: 'routing', label: 'Explain a route', link: { to: '/gates', search: { tab: 'routing' } } },
        ]}
      />
      {tab === 'routing' ? (
        <Routing />
      ) : (
        <>
          <GateList />
          <HeldEntryPoints />
        </>
      )}
    </Page>
  );
};

const GateList = (): ReactNode => {
  const query = useReading({
    key: ['/gates'],
    ask: (signal) => port.GET('/gates', { signal }),
    live: 'all',
    everyMs: ASK_AGAIN_MS,
  });
  const { gate: named } = route.useSearch();
  const now = useNow();
  return (
    <Result query={query}>
      {({ gates, process, since, until }) => {
        const shown = gates.find(({ alias }) => alias === named) ?? gates.toSorted(byHealth(now))[0];
        if (shown === undefined) return <Empty title="No gate serves your merchants">The configuration names none.</Empty>;
        return (
          <div className="gates">
            <GateTable gates={gates} until={until} isWhole currentKey={shown.alias} />
            <GateDetails key={shown.alias} gate={shown} since={since} until={until} />
            <p className="muted small">
              Calls are of all processes. The circuits are those of process <code>{process}</code>, which answered: each process has its
              own.
            </p>
          </div>
        );
      }}
    </Result>
  );
};

const SERIES: readonly Series[] = [
  { key: 'approved', label: 'Approved', tone: 'ok' },
  { key: 'declined', label: 'Declined', tone: 'calm' },
  { key: 'pending', label: 'Pending', tone: 'info' },
  { key: 'failed', label: 'Failed', tone: 'bad' },
  { key: 'unknown', label: 'Unknown', tone: 'unknown' },
];

const GateDetails = ({ gate, since, until }: { readonly gate: Gate; readonly since: string; readonly until: string }): ReactNode => {
  const { alias, adapter, lastHour, heldSince, heldBy } = gate;
  const { can, merchants } = useSession();
  const { kind, failing } = healthOf(gate, useNow());
  // A gate serves other merchants, too.
  const mayHold = can('operator') && merchants === null;
  const isClosed = gate.circuit === 'closed' || gate.circuit === 'off';
  return (
    <Section
      title={`Gate ${alias}`}
      isCard
      actions={mayHold ? <SwitchButton kind="gate" id={alias} isHeld={heldSince !== null} /> : undefined}
    >
      {failing === undefined ? null : (
        <Notice tone="bad" icon="warning" title="Failing">
          Since {failing.isLonger ? 'before ' : ''}
          <Time at={failing.since} />: a fifth or more of its calls failed or had an unknown outcome.{' '}
          {kind === 'failing' ? (
            <strong>
              {NEW_ORDERS.failing} {mayHold ? 'Hold the gate' : 'An operator can hold the gate'}, so that they avoid it.
            </strong>
          ) : null}
        </Notice>
      )}
      {heldSince === null || heldBy === null ? null : (
        <Notice
          tone="warn"
          icon="pause"
          title={`Held by ${personOf(heldBy)}`}
          actions={
            can('investigator') ? (
              <Link to="/activity" className="button">
                Activity
              </Link>
            ) : undefined
          }
        >
          Since <Time at={heldSince} />. New orders avoid the gate. If it is their only gate, they are refused. The reason is stored sealed.
        </Notice>
      )}
      {isClosed && (heldSince !== null || failing !== undefined) ? null : <CircuitNotice gate={gate} />}
      <Facts
        facts={[
          { label: 'Adapter', value: adapter },
          // A closed circuit may never have been another: its time is then the start of the process.
          ...(isClosed || gate.since === null ? [] : [{ label: 'Circuit in this state since', value: <Time at={gate.since} /> }]),
          ...(gate.circuit === 'closed' && gate.calls > 0
            ? [{ label: 'Calls that the circuit counts as failed', value: `${count(gate.failures)} of ${count(gate.calls)}` }]
            : []),
          { label: 'Half of the calls within', value: lastHour === null ? null : msText(lastHour.latency.p50Ms) },
          { label: '95 % of the calls within', value: lastHour === null ? null : msText(lastHour.latency.p95Ms) },
        ]}
      />
      {lastHour === null ? (
        <Notice tone="warn" icon="warning" title="The calls of the last hour are not available">
          The read models do not answer. The state of the circuit is not affected.
        </Notice>
      ) : totalOf(lastHour.calls) === 0 ? (
        <Empty title="No calls in the last hour" />
      ) : (
        <div className="gate-calls">
          <div className="section">
            <h3>Calls of the last hour, by minute</h3>
            <StackedBars
              label={`Calls of ${alias} by minute and outcome`}
              series={SERIES}
              minutes={lastHour.minutes.map(({ at, approved, declined, failed, unknown, pending }) => ({
                at,
                values: { approved, declined, failed, unknown, pending },
              }))}
              fromMs={Date.parse(since)}
              untilMs={Date.parse(until)}
            />
          </div>
          <Declines declines={lastHour.declines} />
        </div>
      )}
      {lastHour !== null && lastHour.calls.unknown > 0 ? (
        <Notice tone="unknown" icon="question" title={`${plural(lastHour.calls.unknown, 'call')} ended with an unknown outcome`}>
          Money may have moved. Most of them settle when the gate is asked again. The queue of unknown outcomes lists those of all gates
          that still wait.
        </Notice>
      ) : null}
    </Section>
  );
};

const CircuitNotice = ({ gate: { circuit, nextProbeAt } }: { readonly gate: Gate }): ReactNode => {
  if (circuit === 'closed' || circuit === 'off') return <p className="muted">{CIRCUITS[circuit]}</p>;
  return (
    <Notice tone={circuit === 'open' ? 'bad' : 'warn'} icon="warning" title={circuit === 'open' ? 'Circuit open' : 'Circuit half open'}>
      {CIRCUITS[circuit]}{' '}
      {nextProbeAt === null ? null : (
        <>
          Next trial <Time at={nextProbeAt} />.
        </>
      )}
    </Notice>
  );
};

const Declines = ({ declines }: { readonly declines: Schemas['GateCalls']['declines'] }): ReactNode => {
  const top = Math.max(1, ...declines.map((one) => one.count));
  return (
    <div className="section">
      <h3>Declines by code</h3>
      {declines.length === 0 ? (
        <p className="muted">None in the last hour.</p>
      ) : (
        <table className="declines">
          <caption className="hidden">Declines by code</caption>
          <thead className="hidden">
            <tr>
              <th scope="col">Code</th>
              <th scope="col">Meaning</th>
              <th scope="col">Calls</th>
            </tr>
          </thead>
          <tbody>
            {declines.map(({ code, count: calls }) => (
              <tr key={code}>
                <th scope="row">{code}</th>
                <td>
                  {resultMessage(code) ?? 'A code of the gate'}
                  <svg className="measure calm" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                    <rect width={(calls / top) * 100} height={4} rx={1} />
                  </svg>
                </td>
                <td className="number">{count(calls)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
};

const HELD_COLUMNS: readonly Column<Held>[] = [
  { key: 'id', head: 'Entry point', cell: ({ id }) => id },
  { key: 'merchant', head: 'Merchant', cell: ({ merchant }) => merchant },
  { key: 'since', head: 'Held since', cell: ({ since }) => <Time at={since} /> },
  { key: 'by', head: 'By', cell: ({ by }) => personOf(by) },
];

const HeldEntryPoints = (): ReactNode => {
  const { can } = useSession();
  const query = useReading({ key: ['/holds'], ask: (signal) => port.GET('/holds', { signal }), live: 'all' });
  const columns: readonly Column<Held>[] = can('operator')
    ? [...HELD_COLUMNS, { key: 'release', head: 'Action', cell: ({ id }) => <SwitchButton kind="endpoint" id={id} isHeld /> }]
    : HELD_COLUMNS;
  return (
    <Section title="Held entry points" actions={can('operator') ? <SwitchButton kind="endpoint" isHeld={false} /> : undefined}>
      <Result query={query} lines={2}>
        {({ holds }) => {
          const held = holds.filter(({ kind }) => kind === 'endpoint');
          return held.length === 0 ? (
            <p className="muted">None is held: every entry point accepts new orders.</p>
          ) : (
            <Table caption="Held entry points" columns={columns} rows={held} rowKey={({ id }) => id} isShort />
          );
        }}
      </Result>
    </Section>
  );
};

interface SwitchProps {
  readonly kind: Held['kind'];
  /** Absent: the form asks for it. */
  readonly id?: string;
  readonly isHeld: boolean;
}

const turn = async ({ kind, isHeld, id, reason }: SwitchProps & { readonly id: string; readonly reason: string }): Promise<unknown> => {
  const body = { reason };
  if (kind === 'gate') {
    const params = { path: { alias: id } };
    return answerOf(
      isHeld ? port.POST('/gates/{alias}/hold/release', { params, body }) : port.POST('/gates/{alias}/hold', { params, body }),
    );
  }
  const params = { path: { endpointId: id } };
  return answerOf(
    isHeld
      ? port.POST('/endpoints/{endpointId}/hold/release', { params, body })
      : port.POST('/endpoints/{endpointId}/hold', { params, body }),
  );
};

const effectOf = (kind: Held['kind'], isHeld: boolean): string => {
  const where = 'This applies to every process within 5 seconds.';
  if (isHeld) return `${kind === 'gate' ? 'New orders may use the gate again.' : 'The entry point accepts new orders again.'} ${where}`;
  return kind === 'gate'
    ? `New orders avoid the gate. If it is their only gate, they are refused with code 20. Accepted orders continue. ${where}`
    : `The entry point refuses new orders with code 20. Accepted orders continue. ${where}`;
};

const SwitchButton = ({ kind, id, isHeld }: SwitchProps): ReactNode => {
  const [isOpen, setOpen] = useState(false);
  const noun = kind === 'gate' ? 'gate' : 'entry point';
  const verb = isHeld ? 'Release' : 'Hold';
  const name = id === undefined ? `${verb} an ${noun}` : `${verb} ${noun} ${id}`;
  return (
    <>
      <button type="button" aria-label={name} onClick={() => setOpen(true)}>
        {kind === 'gate' || id === undefined ? name : verb}
      </button>
      {isOpen ? (
        <ActionDialog
          title={name}
          verb={verb}
          isDangerous={!isHeld}
          effect={effectOf(kind, isHeld)}
          onSubmit={({ reason, fields }) => {
            const given = fields.get('endpoint');
            return turn({ kind, isHeld, reason, id: id ?? (typeof given === 'string' ? given.trim() : '') });
          }}
          onDone={reloadHolds}
          onClose={() => setOpen(false)}
          doneText={`${isHeld ? 'Released' : 'Held'}: in every process within 5 seconds`}
        >
          {id === undefined ? (
            <Field label="Entry point" hint="Its number, such as 1001.">
              {(tied) => <input {...tied} name="endpoint" inputMode="numeric" autoComplete="off" maxLength={20} required />}
            </Field>
          ) : null}
        </ActionDialog>
      ) : null}
    </>
  );
};
