import { sql, type RawBuilder } from 'kysely';
import type { IndexParts } from '../engine/index-parts';
import { isUsual } from './order-list.table';
import { OPERATION_WORDS, type OrderStatusView } from '../order-status/order-status.view';
import type { OrderListFilter } from './order-list.filter';

type Condition = RawBuilder<unknown>;

/** The conditions of a filter: answered by the chosen index, or checked on each row. */
export interface AccessPath {
  readonly indexed: readonly Condition[];
  readonly checked: readonly Condition[];
}

const equal = (column: string, value: string | number | undefined): readonly Condition[] =>
  value === undefined ? [] : [sql`l.${sql.raw(column)} = ${value}`];

/** Literally the condition of the partial indexes, because a planner would not match a parameter to them. */
const UNUSUAL = sql`l.is_usual = 0`;

const operations = Object.keys(OPERATION_WORDS) as OrderStatusView['operation'][];
/** Usual orders are missing from the partial indexes, so a status or stage that they may have cannot use one. */
const mayBeUsual = (wanted: Partial<Pick<OrderStatusView, 'status' | 'stage'>>): boolean =>
  operations.some((operation) =>
    (['approved', 'declined'] as const).some((status) => {
      const shown = { operation, status, stage: `${OPERATION_WORDS[operation].stage}_${status}` as const };
      return isUsual(shown) && (wanted.status ?? status) === status && (wanted.stage ?? shown.stage) === shown.stage;
    }),
  );

/** In the order of preference: the first index with a condition is used. */
const indexes = ({ code, stage, status, endpoint, merchant }: OrderListFilter): Readonly<Record<string, readonly Condition[]>> => ({
  code: code === undefined ? [] : [sql`l.code is not null`, ...equal('code', code)],
  stage: stage === undefined || mayBeUsual({ stage }) ? [] : [UNUSUAL, ...equal('stage', stage)],
  status: status === undefined || mayBeUsual({ status }) ? [] : [UNUSUAL, ...equal('status', status)],
  endpoint: equal('endpoint_id', endpoint),
  merchant: equal('merchant', merchant),
});

/** An order is created before its latest event, so the end of the update range also bounds the creation time. The start does not. */
export const createdRange = ({ createdFrom, createdTo, updatedTo }: OrderListFilter): Pick<IndexParts, 'since' | 'until'> => {
  const to = Math.min(createdTo ?? Infinity, updatedTo ?? Infinity);
  return { since: createdFrom, ...(to !== Infinity && { until: to }) };
};

const createdIn = (filter: OrderListFilter): readonly Condition[] => {
  const { since, until } = createdRange(filter);
  return [...(since === undefined ? [] : [sql`l.created_at >= ${since}`]), ...(until === undefined ? [] : [sql`l.created_at < ${until}`])];
};

/** @param isOfMerchant uses the index by merchant, so that no order of another merchant is passed */
export const accessPath = (filter: OrderListFilter, isOfMerchant = false): AccessPath => {
  const { kind, operation, status, stage, gate, code, currency, amountFrom, amountTo, updatedFrom, updatedTo, endpoint, merchant } = filter;
  const chosen = Object.entries(indexes(filter)).find(([name, conditions]) => (isOfMerchant ? name === 'merchant' : conditions.length > 0));
  const checks: Readonly<Record<string, readonly Condition[]>> = {
    code: equal('code', code),
    stage: equal('stage', stage),
    status: equal('status', status),
    endpoint: equal('endpoint_id', endpoint),
    merchant: equal('merchant', merchant),
    kind: equal('kind', kind),
    operation: equal('operation', operation),
    gate: equal('gate', gate),
    currency: equal('currency', currency),
    amountFrom: amountFrom === undefined ? [] : [sql`l.amount_minor >= ${Number(amountFrom)}`],
    amountTo: amountTo === undefined ? [] : [sql`l.amount_minor <= ${Number(amountTo)}`],
    updatedFrom: updatedFrom === undefined ? [] : [sql`l.updated_at >= ${updatedFrom}`],
    updatedTo: updatedTo === undefined ? [] : [sql`l.updated_at < ${updatedTo}`],
  };
  return {
    indexed: [...(chosen?.[1] ?? []), ...createdIn(filter)],
    checked: Object.entries(checks).flatMap(([name, conditions]) => (name === chosen?.[0] ? [] : conditions)),
  };
};
