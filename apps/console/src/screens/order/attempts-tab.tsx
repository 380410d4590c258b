import type { ReactNode } from 'react';
import type { Schemas } from '../../port';
import { duration } from '../../format';
import { Badge, OrderStatus } from '../../ui/badge';
import { Section } from '../../ui/page';
import { Money } from '../../ui/parts';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import { attemptsOf, type Attempt } from './attempts';
import { FOLLOW_UPS } from './order-words';
import type { EntryRow } from './timeline-rows';

/** The plan is part of the acceptance, which is the first event of the order. */
export interface AcceptedData {
  readonly plan?: {
    readonly operation?: string;
    readonly gates?: readonly { readonly alias: string }[];
    readonly route?: {
      readonly rule: string;
      readonly drawnBy?: 'chance' | 'customer';
      readonly leftOut?: readonly string[];
      readonly heldGates?: readonly string[];
    };
  };
}

type FollowUp = Schemas['FollowUpSummary'];

const shortTime = (ms: number): string => (ms < 1_000 ? `${ms} ms` : duration(ms / 1_000));

const COLUMNS: readonly Column<Attempt>[] = [
  { key: 'number', head: 'Attempt', cell: ({ number, gate }) => `${number}: ${gate}` },
  { key: 'amount', head: 'Amount', isNumber: true, cell: ({ amount }) => amount },
  { key: 'started', head: 'Begun', cell: ({ startedAt }) => <Time at={startedAt} withMs /> },
  {
    key: 'outcome',
    head: 'Outcome',
    cell: ({ outcome }) =>
      outcome === undefined ? <Badge tone="info">At the gate</Badge> : <Badge tone={outcome.tone}>{outcome.title}</Badge>,
  },
  { key: 'took', head: 'Took', isNumber: true, cell: ({ tookMs }) => (tookMs === undefined ? null : shortTime(tookMs)) },
  { key: 'facts', head: 'Facts', isText: true, cell: ({ outcome }) => outcome?.facts.join(' · ') },
];

const followUpColumns = (currency: string): readonly Column<FollowUp>[] => [
  { key: 'number', head: 'Follow-up', cell: ({ number, operation }) => `${number}: ${FOLLOW_UPS[operation]}` },
  { key: 'amount', head: 'Amount', isNumber: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
  { key: 'status', head: 'Status', cell: ({ status }) => <OrderStatus status={status} /> },
  { key: 'code', head: 'Code', cell: ({ code }) => code },
  { key: 'transaction', head: 'Gate’s transaction', cell: ({ transactionId }) => transactionId },
  { key: 'accepted', head: 'Accepted', cell: ({ acceptedAt }) => <Time at={acceptedAt} /> },
  {
    key: 'took',
    head: 'Took',
    isNumber: true,
    cell: ({ acceptedAt, finalAt }) => (finalAt === null ? null : shortTime(Date.parse(finalAt) - Date.parse(acceptedAt))),
  },
];

interface AttemptsTabProps {
  readonly order: Schemas['ShownOrder'];
  readonly rows: readonly EntryRow[];
}

/** Which gates were tried, why these, and the results. */
export const AttemptsTab = ({ order, rows }: AttemptsTabProps): ReactNode => {
  const plan = (rows.find(({ entry }) => entry.type === 'OrderAccepted')?.entry.data as AcceptedData | null | undefined)?.plan;
  const attempts = attemptsOf(rows);
  return (
    <div className="stack">
      <Section title="Why this gate" isCard>
        {plan === undefined ? <p className="muted">The acceptance cannot be read.</p> : <Routing plan={plan} attempts={attempts} />}
      </Section>
      <Section title="Attempts">
        {attempts.length === 0 ? (
          <p className="muted">No gate was called.</p>
        ) : (
          <Table caption="Calls to gates" columns={COLUMNS} rows={attempts} rowKey={({ number }) => String(number)} isShort />
        )}
      </Section>
      {order.followUps.length === 0 ? null : (
        <Section title="Refunds, captures and voids">
          <Table
            caption="Follow-ups"
            columns={followUpColumns(order.currency)}
            rows={order.followUps}
            rowKey={({ number }) => String(number)}
            isShort
          />
        </Section>
      )}
    </div>
  );
};

const DRAWN = {
  chance: 'The rule’s shares drew this order of gates by chance.',
  customer: 'The rule’s shares drew this order of gates for the customer, who always gets the same.',
} as const;

const Routing = ({
  plan,
  attempts,
}: {
  readonly plan: NonNullable<AcceptedData['plan']>;
  readonly attempts: readonly Attempt[];
}): ReactNode => {
  const gates = (plan.gates ?? []).map(({ alias }) => alias);
  const { rule, drawnBy, leftOut = [], heldGates = [] } = plan.route ?? {};
  return (
    <>
      <ol className="route" aria-label="Planned gates, in order">
        {gates.map((gate) => {
          const tried = attempts.filter((attempt) => attempt.gate === gate);
          const outcome = tried.at(-1)?.outcome;
          return (
            <li key={gate}>
              <strong>{gate}</strong>{' '}
              {tried.length === 0 ? (
                <span className="muted">not tried</span>
              ) : outcome === undefined ? (
                <Badge tone="info">At the gate</Badge>
              ) : (
                <Badge tone={outcome.tone}>{outcome.title}</Badge>
              )}
            </li>
          );
        })}
      </ol>
      <ul className="reasons">
        <li>
          {rule === undefined ? (
            'The entry point has no routing rules: it always plans these gates in this order.'
          ) : (
            <>
              The rule <strong>{rule}</strong> of the entry point matched when the order was accepted.
            </>
          )}
        </li>
        {drawnBy === undefined ? null : <li>{DRAWN[drawnBy]}</li>}
        {leftOut.length === 0 ? null : <li>Left out because their circuit was open: {leftOut.join(', ')}.</li>}
        {heldGates.length === 0 ? null : <li>Left out because an operator held them: {heldGates.join(', ')}.</li>}
        {gates.length > 1 ? (
          <li>The next gate is tried only if the one before declined with a code that allows it, or could not be asked.</li>
        ) : null}
      </ul>
    </>
  );
};
