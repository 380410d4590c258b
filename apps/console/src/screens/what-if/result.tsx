import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useReading } from '../../app/reading';
import { count, plural } from '../../format';
import { port, PortRefusal, type Schemas } from '../../port';
import { Section } from '../../ui/page';
import { Facts, Money } from '../../ui/parts';
import { CutShort, Empty, Notice, Result } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { changeText, lengthsOf, NOT_KNOWN } from '../what-if-words';

type WhatIfRun = Schemas['WhatIfJson'];
type RunResult = Schemas['WhatIfResultJson'];
type Ends = RunResult['ends'];

export const rangeOf = ({ from, before }: Pick<WhatIfRun, 'before' | 'from'>): ReactNode => {
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

export const ResultTables = ({ result }: { readonly result: RunResult }): ReactNode => {
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

/** What the configuration was expected to do, if a what-if was its reason. */
export const Forecast = (): ReactNode => {
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
