import type { ReactNode } from 'react';
import { count, personOf } from '../format';
import type { Schemas } from '../port';
import { Badge } from '../ui/badge';
import { Sparkline } from '../ui/charts';
import { Table, type Column } from '../ui/table';
import { Age, useNow } from '../ui/time';
import { approvalPercent, byHealth, HEALTH, healthOf, latencyLine, totalOf } from './gate-health';

type Gate = Schemas['ListedGate'];
type Calls = Schemas['GateCalls'];

const NONE = <span className="none">—</span>;

export const msText = (ms: number | null | undefined): ReactNode => (ms == null ? NONE : `${count(ms)}\u00a0ms`);

const ofLastHour =
  (text: (calls: Calls) => ReactNode) =>
  ({ lastHour }: Gate): ReactNode =>
    lastHour === null ? NONE : text(lastHour);

const counted = (value: number): ReactNode => (value === 0 ? <span className="none">0</span> : count(value));

const State = ({ gate, nowMs }: { readonly gate: Gate; readonly nowMs: number }): ReactNode => {
  const { kind, since, failing } = healthOf(gate, nowMs);
  const { word, ...looks } = HEALTH[kind];
  const failingFor =
    failing === undefined ? null : (
      <>
        {' '}
        for {failing.isLonger ? 'over ' : ''}
        <Age since={failing.since} />
      </>
    );
  return (
    <>
      <span className="gate-state">
        <Badge {...looks}>
          {word}
          {kind === 'held' && gate.heldBy !== null ? ` by ${personOf(gate.heldBy)}` : ''}
        </Badge>
        {kind === 'failing' ? (
          failingFor
        ) : since === undefined ? null : (
          <>
            {' '}
            for <Age since={since} />
          </>
        )}
      </span>
      {failing === undefined || kind === 'failing' ? null : (
        <span className="gate-state">
          <Badge tone={HEALTH.failing.tone}>{HEALTH.failing.word}</Badge>
          {failingFor}
        </span>
      )}
    </>
  );
};

interface GateTableProps {
  readonly gates: readonly Gate[];
  /** The end of the last hour, ISO 8601. */
  readonly until: string;
  /** With the columns that the overview has no room for. */
  readonly isWhole?: boolean;
  readonly currentKey?: string;
}

/** Every gate with the same words wherever it is listed, the worst first. */
export const GateTable = ({ gates, until, isWhole = false, currentKey }: GateTableProps): ReactNode => {
  const now = useNow();
  const topMs = Math.max(1, ...gates.flatMap(({ lastHour }) => lastHour?.minutes.map(({ p95Ms }) => p95Ms ?? 0) ?? []));
  const columns: readonly (Column<Gate> & { readonly isExtra?: true })[] = [
    { key: 'gate', head: 'Gate', cell: ({ alias }) => alias },
    { key: 'state', head: 'State', cell: (gate) => <State gate={gate} nowMs={now} /> },
    { key: 'calls', head: 'Calls', isNumber: true, cell: ofLastHour(({ calls }) => count(totalOf(calls))) },
    {
      key: 'approved',
      head: 'Approved',
      isNumber: true,
      isExtra: true,
      cell: ofLastHour(({ calls }) => {
        const percent = approvalPercent(calls);
        return percent === undefined ? NONE : `${percent}\u00a0%`;
      }),
    },
    { key: 'declined', head: 'Declined', isNumber: true, isExtra: true, cell: ofLastHour(({ calls }) => counted(calls.declined)) },
    { key: 'failed', head: 'Failed', isNumber: true, cell: ofLastHour(({ calls }) => counted(calls.failed)) },
    { key: 'unknown', head: 'Unknown', isNumber: true, cell: ofLastHour(({ calls }) => counted(calls.unknown)) },
    { key: 'p50', head: 'p50', isNumber: true, isExtra: true, cell: ofLastHour(({ latency }) => msText(latency.p50Ms)) },
    { key: 'p95', head: 'p95', isNumber: true, cell: ofLastHour(({ latency }) => msText(latency.p95Ms)) },
    {
      key: 'line',
      head: 'p95 by minute',
      cell: ({ alias, lastHour }) => {
        const values = latencyLine(lastHour?.minutes ?? [], Date.parse(until));
        const known = values.filter((value) => value !== null);
        if (known.length < 2) return <span className="none">too few answers</span>;
        const label = `p95 of ${alias} by minute: ${Math.min(...known)} to ${Math.max(...known)} ms in the last hour`;
        return (
          <span className="gate-line">
            <Sparkline label={label} values={values} max={topMs} />
          </span>
        );
      },
    },
  ];
  return (
    <Table
      caption="Gates, the worst first"
      columns={columns.filter(({ isExtra }) => isWhole || isExtra !== true)}
      rows={gates.toSorted(byHealth(now))}
      rowKey={({ alias }) => alias}
      rowLink={({ alias }) => ({ to: '/gates', search: { gate: alias } as object, resetScroll: !isWhole })}
      currentKey={currentKey}
      isShort
    />
  );
};
