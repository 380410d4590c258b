import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useReading } from '../../app/reading';
import { port, type Schemas } from '../../port';
import { OrderStatus } from '../../ui/badge';
import { Section } from '../../ui/page';
import { Money } from '../../ui/parts';
import { CutShort, Empty, Result } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time';
import type { Revealed } from './actions';
import { stageText } from './order-words';

type Listed = Schemas['ListedOrder'];

const SHOWN_MAX = 50;

const COLUMNS: readonly Column<Listed>[] = [
  { key: 'order', head: 'Order', cell: ({ orderId }) => orderId },
  { key: 'status', head: 'Status', cell: ({ status }) => <OrderStatus status={status} /> },
  { key: 'stage', head: 'Stage', cell: ({ stage }) => stageText(stage) },
  { key: 'amount', head: 'Amount', isNumber: true, cell: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
  { key: 'created', head: 'Accepted', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const MERCHANT: Column<Listed> = { key: 'merchant', head: 'Merchant', cell: ({ merchant }) => merchant };

interface RelatedListProps {
  readonly title: string;
  readonly orderId: string;
  readonly page: Schemas['OrderPage'];
}

const RelatedList = ({ title, orderId, page }: RelatedListProps): ReactNode => {
  const others = page.orders.filter((order) => order.orderId !== orderId);
  return (
    <>
      {others.length === 0 ? (
        <Empty title="No other order" />
      ) : (
        <Table
          caption={title}
          columns={others.some(({ merchant }) => merchant !== others[0]?.merchant) ? [...COLUMNS, MERCHANT] : COLUMNS}
          rows={others}
          rowKey={(row) => `${row.merchant} ${row.orderId}`}
          rowLink={(row) => ({ to: '/orders/$orderId', params: { orderId: row.orderId } })}
          isShort
        />
      )}
      {page.next === null || page.next === undefined ? null : (
        <CutShort>The newest {SHOWN_MAX} are shown. Use the list of orders for the rest.</CutShort>
      )}
    </>
  );
};

const emailOf = (revealed: Revealed | undefined): string | undefined => {
  for (const { data } of revealed?.trail ?? []) {
    const { customer } = (data ?? {}) as { readonly customer?: unknown };
    const { email } = (typeof customer === 'object' && customer !== null ? customer : {}) as { readonly email?: unknown };
    if (typeof email === 'string') return email;
  }
  return undefined;
};

interface RelatedTabProps {
  readonly order: Schemas['ShownOrder'];
  readonly revealed: Revealed | undefined;
}

/** Other orders of the same card, and of the same payer while the payer's data are revealed. */
export const RelatedTab = ({ order: { orderId, card }, revealed }: RelatedTabProps): ReactNode => {
  const email = emailOf(revealed);
  const ofCard = useReading({
    key: ['order', orderId, 'same-card'],
    ask: (signal) => port.GET('/audit/orders', { params: { query: { card: card?.uid ?? '', limit: SHOWN_MAX } }, signal }),
    isEnabled: card !== null,
  });
  const ofPayer = useReading({
    // The address itself must not be a key: keys outlive the minute of the reveal.
    key: ['order', orderId, 'same-payer', revealed?.untilMs],
    ask: (signal) => port.POST('/audit/orders', { body: { email: email ?? '', limit: SHOWN_MAX }, signal }),
    isEnabled: email !== undefined,
  });
  return (
    <div className="stack">
      <Section title="Same card">
        {card === null ? (
          <Empty title="The card is not known" />
        ) : (
          <Result query={ofCard}>{(page) => <RelatedList title="Orders of the same card" orderId={orderId} page={page} />}</Result>
        )}
      </Section>
      <Section title="Same payer">
        {email === undefined ? (
          <Empty title="Reveal the payer first">
            The payer’s e-mail address is sealed. Use Reveal personal data: while it is shown, orders with the same address are listed here.
          </Empty>
        ) : (
          <Result query={ofPayer}>{(page) => <RelatedList title="Orders of the same payer" orderId={orderId} page={page} />}</Result>
        )}
      </Section>
      <p>
        <Link to="/orders">All orders</Link>
      </p>
    </div>
  );
};
