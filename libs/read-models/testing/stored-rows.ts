import { cardReferenceTable } from '../card-reference/card-reference.table';
import type { ReadModelDatabase } from '../engine/database/database';
import { openWorkTable } from '../work/open-work.table';
import { gateAttemptsTable } from '../reconciliation/gate-attempts.table';
import { reconciliationCasesTable } from '../reconciliation/reconciliation-case.table';
import { mentionsTable } from '../order-list/mentions.table';
import { orderListTable } from '../order-list/order-list.table';
import { orderSearchTable } from '../order-list/order-search.table';
import { orderStatusTable } from '../order-status/order-status.table';

export interface StoredRows {
  readonly orders: readonly object[];
  readonly orderList: readonly object[];
  readonly cardReferences: readonly object[];
  readonly search: readonly object[];
  readonly gateAttempts: readonly object[];
  readonly reconciliationCases: readonly object[];
  readonly mentions: readonly object[];
  readonly openWork: readonly object[];
  readonly parked: readonly object[];
}

const plain = (rows: readonly object[]): readonly object[] => rows.map((row) => ({ ...row }));

const READ: ReadonlySet<string> = new Set([
  'order-status',
  'card-reference',
  'order-search',
  'gate-attempts',
  'reconciliation-cases',
  'mentions',
  'open-work:orders',
]);

/**
 * Leaves out generation and time of parking, which differ between histories of one log.
 * @throws Error for an unknown projection
 */
export const storedRows = async ({ writes: db }: ReadModelDatabase): Promise<StoredRows> => {
  const generations = new Map(
    (await db.selectFrom('generations').selectAll().execute()).map((row) => [row.projection, Number(row.generation)]),
  );
  const unread = [...generations.keys()].filter((projection) => !READ.has(projection));
  if (unread.length > 0) throw new Error(`the rows of ${unread.join(', ')} would not be compared`);
  const serving = (projection: string): number => generations.get(projection) ?? 0;
  const orders = await db
    .selectFrom(orderStatusTable(serving('order-status')))
    .selectAll()
    .orderBy('stream')
    .execute();
  const list = await db
    .selectFrom(orderListTable(serving('order-status')))
    .selectAll()
    .orderBy('stream')
    .execute();
  const references = await db
    .selectFrom(cardReferenceTable(serving('card-reference')))
    .selectAll()
    .orderBy('stream')
    .execute();
  const search = await db
    .selectFrom(orderSearchTable(serving('order-search')))
    .selectAll()
    .orderBy('key')
    .execute();
  const attempts = await db
    .selectFrom(gateAttemptsTable(serving('gate-attempts')))
    .selectAll()
    .orderBy('stream')
    .execute();
  const cases = await db
    .selectFrom(reconciliationCasesTable(serving('reconciliation-cases')))
    .selectAll()
    .orderBy('stream')
    .execute();
  const mentions = await db
    .selectFrom(mentionsTable(serving('mentions')))
    .selectAll()
    .orderBy('key')
    .execute();
  const work = await db
    .selectFrom(openWorkTable('orders', serving('open-work:orders')))
    .selectAll()
    .orderBy('key')
    .execute();
  const parked = await db
    .selectFrom('parked')
    .select(['projection', 'stream', 'revision', 'event_id', 'error'])
    .orderBy('projection')
    .orderBy('stream')
    .execute();
  return {
    orders: plain(orders),
    orderList: plain(list),
    cardReferences: plain(references),
    search: plain(search),
    gateAttempts: plain(attempts),
    reconciliationCases: plain(cases),
    mentions: plain(mentions),
    openWork: plain(work),
    parked: plain(parked),
  };
};
