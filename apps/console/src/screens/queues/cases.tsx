import { Link, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { usePages, useReading } from '../../app/reading';
import { useSession } from '../../app/session';
import { instant, minorMoney, money } from '../../format';
import { answerOf, port, type Schemas } from '../../port';
import { ActionDialog } from '../../ui/action-dialog';
import { Badge, type Tone } from '../../ui/badge';
import { Section } from '../../ui/page';
import { Choice, type Chip } from '../../ui/parts';
import { Notice, Result } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Age, Time } from '../../ui/time';
import { CASE_KINDS } from '../queues.search';
import { QueueList, refresh, SelectFilter, TextFilter, TimeFilter, useFilters } from './queue-list';

type Case = Schemas['ListedCases']['cases'][number];
type Effect = Schemas['CaseEffect'];

const PAGE = 100;

const KIND_WORDS: Readonly<Record<(typeof CASE_KINDS)[number], string>> = {
  different: 'Different',
  'missing-here': 'Missing here',
  'missing-there': 'Missing at the gate',
  duplicate: 'Listed twice',
};
const STATUSES: Readonly<Record<Case['status'], readonly [tone: Tone, word: string]>> = {
  open: ['warn', 'Open'],
  applied: ['ok', 'Applied'],
  closed: ['calm', 'Closed'],
};
const FIELD_WORDS: Readonly<Record<Effect['sides'][number]['field'], string>> = {
  amount: 'Amount',
  commission: 'Commission',
  currency: 'Currency',
  'gate-order-id': 'Order id at the gate',
  operation: 'Operation',
  'processed-at': 'Processed',
  status: 'Status',
};
const EFFECT_WORDS: Readonly<Record<NonNullable<Effect['effect']>, string>> = {
  'held-already': 'The order has this status already. The case is closed, and nothing else changes.',
  reconciled: 'The final status of the order changes, and its merchant gets a callback.',
  resolved: 'The unknown outcome is resolved, and the merchant gets a callback.',
};

const REFUSALS: Readonly<Record<string, string>> = {
  'nothing-to-apply': 'The gate’s side has no status that the order could take.',
  'unknown-order': 'The lists have no such order.',
};

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** A value of one side with its currency, or as a time. */
const valueOf = (
  field: Effect['sides'][number]['field'],
  value: string | null | undefined,
  currency: string | null | undefined,
): ReactNode => {
  if (value == null) return '—';
  if (field === 'processed-at') return <Time at={value} mayBreak />;
  return currency != null && (field === 'amount' || field === 'commission') ? money(value, currency) : value;
};

const differing = ({ kind, differences }: Case): string => {
  const [first, ...others] = differences.map(({ field }, index) => (index === 0 ? FIELD_WORDS[field] : FIELD_WORDS[field].toLowerCase()));
  return first === undefined ? KIND_WORDS[kind] : [first, ...others].join(', ');
};

/** One side of a difference. A settlement is in one currency, unless the currencies differ. */
const sideOf = ({ differences, told }: Case, side: 'ours' | 'theirs'): ReactNode =>
  differences.length === 0
    ? side === 'theirs' && told?.amountMinor !== undefined && told.currency !== undefined
      ? minorMoney(told.amountMinor, told.currency)
      : '—'
    : differences.map(({ field, [side]: value }, index) => (
        <span key={field}>
          {index === 0 ? null : ', '}
          {valueOf(field, value, differences.find((one) => one.field === 'currency')?.[side] ?? told?.currency)}
        </span>
      ));

const reload = (): void => refresh('/reconciliation/cases');

/** Differences between the log and the settlements of gates; one opens with both sides. */
export const CasesQueue = (): ReactNode => {
  const { filters, set } = useFilters('cases');
  const { gate, kind, since, until, over } = filters;
  const { case: open } = useSearch({ from: '/queues' });
  const pages = usePages({
    key: ['/reconciliation/cases', filters],
    ask: (cursor, signal) =>
      port.GET('/reconciliation/cases', {
        signal,
        params: {
          query: {
            limit: PAGE,
            ...(over === true && { all: 'true' as const }),
            ...(gate !== undefined && { gate }),
            ...(kind !== undefined && { kind }),
            ...(since !== undefined && { since }),
            ...(until !== undefined && { until }),
            ...(cursor !== undefined && { cursor }),
          },
        },
      }),
  });
  const found = pages.pages.flatMap(({ cases }) => cases).find(({ caseId }) => caseId === open);
  const chips: readonly Chip[] = [
    ...(gate === undefined ? [] : [{ key: 'gate', label: 'Gate', value: gate }]),
    ...(kind === undefined ? [] : [{ key: 'kind', label: 'Kind', value: KIND_WORDS[kind] }]),
    ...(since === undefined ? [] : [{ key: 'since', label: 'Opened since', value: instant(since) }]),
    ...(until === undefined ? [] : [{ key: 'until', label: 'Opened before', value: instant(until) }]),
  ];
  const columns: readonly Column<Case>[] = [
    { key: 'kind', head: 'Difference', cell: differing },
    { key: 'ours', head: 'Here', cell: (one) => sideOf(one, 'ours') },
    { key: 'theirs', head: 'At the gate', cell: (one) => sideOf(one, 'theirs') },
    { key: 'age', head: 'Open for', cell: ({ openedAt }) => <Age since={isoOf(openedAt)} /> },
    ...(over === true
      ? [
          {
            key: 'status',
            head: 'State',
            cell: ({ status }: Case) => {
              const [tone, word] = STATUSES[status];
              return <Badge tone={tone}>{word}</Badge>;
            },
          },
        ]
      : []),
    { key: 'gate', head: 'Gate', cell: (one) => one.gate },
    { key: 'operation', head: 'Operation', cell: ({ operation }) => operation },
    {
      key: 'order',
      head: 'Order',
      cell: ({ order }) =>
        order === undefined ? (
          'none here'
        ) : (
          <Link to="/orders/$orderId" params={{ orderId: order.orderId }}>
            {order.orderId}
          </Link>
        ),
    },
    { key: 'merchant', head: 'Merchant', cell: ({ order }) => order?.merchant ?? '—' },
  ];
  return (
    <QueueList
      queue="cases"
      caption="Reconciliation cases, oldest first"
      pages={pages}
      rowsOf={({ cases }) => cases}
      columns={columns}
      rowKey={({ caseId }) => caseId}
      rowLink={({ caseId }) => ({ to: '/queues', search: { queue: 'cases', ...filters, case: caseId } })}
      currentKey={open}
      chips={chips}
      emptyTitle={over === true ? 'There was no case yet' : 'The log and the settlements agree'}
      emptyText="Cases are opened by orch reconcile, from a gate’s file or from its answers."
      tools={
        <>
          <Choice
            label="State"
            value={over === true ? 'all' : 'open'}
            options={[
              ['open', 'Open'],
              ['all', 'All'],
            ]}
            onChange={(value) => set({ over: value === 'all' ? true : undefined })}
          />
          <SelectFilter
            label="Kind"
            value={kind}
            all="All kinds"
            options={CASE_KINDS.map((one) => [one, KIND_WORDS[one]])}
            onChange={(value) => set({ kind: value })}
          />
          <TextFilter label="Gate" value={gate} onChange={(value) => set({ gate: value })} />
          <TimeFilter label="Opened since" value={since} onChange={(value) => set({ since: value })} />
          <TimeFilter label="Before" value={until} onChange={(value) => set({ until: value })} />
        </>
      }
    >
      {open === undefined ? null : <OpenCase key={open} caseId={open} listed={found} onClose={() => set({})} />}
    </QueueList>
  );
};

type Side = Effect['sides'][number];

const sidesOf = (sides: readonly Side[]): readonly Column<Side>[] => {
  const currency = sides.find(({ field }) => field === 'currency');
  const cell =
    (side: 'ours' | 'oursNow' | 'theirs') =>
    (one: Side): ReactNode =>
      valueOf(one.field, one[side], currency?.[side] ?? (currency?.isDifferent === false ? currency.theirs : null));
  return [
    { key: 'field', head: 'Field', cell: ({ field }) => FIELD_WORDS[field] },
    { key: 'then', head: 'Our record, when the case was opened', cell: cell('ours') },
    { key: 'now', head: 'Our record now', cell: cell('oursNow') },
    { key: 'theirs', head: 'The gate', cell: cell('theirs') },
    {
      key: 'verdict',
      head: 'Result',
      cell: ({ isDifferent, ours, theirs }) => {
        if (isDifferent) return <Badge tone="bad">Differs</Badge>;
        return ours === null || theirs === null ? <span className="none">not compared</span> : <Badge tone="ok">Equal</Badge>;
      },
    },
  ];
};

interface OpenCaseProps {
  readonly caseId: string;
  readonly listed: Case | undefined;
  readonly onClose: () => void;
}

/** Both sides of a case, and what applying the gate's side would change. */
const OpenCase = ({ caseId, listed, onClose }: OpenCaseProps): ReactNode => {
  const { can } = useSession();
  const [form, setForm] = useState<'apply' | 'close'>();
  const effect = useReading({
    key: ['/reconciliation/cases', caseId, 'effect'],
    ask: (signal) => port.GET('/reconciliation/cases/{caseId}/effect', { signal, params: { path: { caseId } } }),
  });
  const isOpen = listed === undefined || listed.status === 'open';
  const data = effect.data;
  return (
    <Section
      title={listed === undefined ? 'Case' : `${KIND_WORDS[listed.kind]}: ${listed.operation} at ${listed.gate}`}
      isCard
      className="open-case"
      actions={
        <div className="page-actions">
          {isOpen && can('admin') && data !== undefined && data.refusal === null && data.to !== null ? (
            <button type="button" className="danger" onClick={() => setForm('apply')}>
              Apply the gate’s side
            </button>
          ) : null}
          {isOpen && can('operator') ? (
            <button type="button" onClick={() => setForm('close')}>
              Close without a change
            </button>
          ) : null}
          <button type="button" className="quiet" onClick={onClose}>
            Hide
          </button>
        </div>
      }
    >
      <Result query={effect} lines={4}>
        {({ sides, to, effect: change, refusal, records }) => (
          <div className="queue-rows">
            {sides.length === 0 ? null : (
              <Table isShort caption="Both sides" rows={sides} rowKey={({ field }) => field} columns={sidesOf(sides)} />
            )}
            {refusal === null && change !== null ? (
              <Notice tone="info" icon="dot" title={`Applied now, the order becomes ${to ?? 'unchanged'}`}>
                {EFFECT_WORDS[change]} {records.length === 0 ? null : `The log gets: ${records.join(', ')}.`}
              </Notice>
            ) : (
              <Notice tone="calm" icon="stop" title="It cannot be applied">
                {refusal === null ? REFUSALS['nothing-to-apply'] : (REFUSALS[refusal] ?? `${refusal}.`)} Compare both, then close it.
              </Notice>
            )}
          </div>
        )}
      </Result>
      {form === 'close' ? (
        <ActionDialog
          title="Close a case without a change"
          verb="Close the case"
          effect="The order stays as it is. The case leaves the list; a comparison that finds the same difference does not open it again."
          onSubmit={({ reason }) =>
            answerOf(port.POST('/reconciliation/cases/{caseId}/closing', { params: { path: { caseId } }, body: { reason } }))
          }
          onDone={() => {
            reload();
            onClose();
          }}
          onClose={() => setForm(undefined)}
          doneText="The case is closed"
        />
      ) : null}
      {form === 'apply' && data !== undefined ? (
        <ActionDialog
          title="Apply the gate’s side"
          verb={`Make it ${data.to ?? ''}`}
          isDangerous
          mayNeedApproval
          effect={
            <>
              <p>
                The order becomes <strong>{data.to}</strong>. {data.effect === null ? null : EFFECT_WORDS[data.effect]}
              </p>
              {data.records.length === 0 ? null : <p>The log gets: {data.records.join(', ')}.</p>}
            </>
          }
          onSubmit={({ reason, alone }) =>
            answerOf(
              port.POST('/reconciliation/cases/{caseId}/application', {
                params: { path: { caseId } },
                body: { reason, ...(alone === true && { alone }) },
              }),
            )
          }
          onDone={() => {
            reload();
            onClose();
          }}
          onClose={() => setForm(undefined)}
          doneText="The gate’s side is applied"
        />
      ) : null}
    </Section>
  );
};
