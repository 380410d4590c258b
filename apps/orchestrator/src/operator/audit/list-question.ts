import { IDENTIFIER_KINDS, type ListQuestion } from '@app/audit';
import { present, type Currency, type EndpointId, type GateAlias, type Instant, type MerchantLogin, type OrderKind } from '@app/kernel';
import type { OrderListFilter } from '@app/projections';
import { InvalidAction } from '../action.pipe';
import type { ListOrdersRequest, SearchOrdersRequest } from './list-orders.request';

const minor = (amount: number | undefined): bigint | undefined => (amount === undefined ? undefined : BigInt(amount));

/** Ranges that can hold nothing: who asks for one has mistaken the ends. */
const RANGES = [
  ['createdFrom', 'createdTo', 'later'],
  ['updatedFrom', 'updatedTo', 'later'],
  ['amountFrom', 'amountTo', 'more'],
] as const;

const assertForwards = (request: ListOrdersRequest): void => {
  for (const [from, to, word] of RANGES) {
    const [begin, end] = [request[from], request[to]];
    if (begin !== undefined && end !== undefined && begin > end)
      throw new InvalidAction({ status: 400, error: `${from} is ${word} than ${to}` });
  }
};

/** @throws InvalidAction where its members do not go together */
export const listQuestion = (request: ListOrdersRequest & Pick<SearchOrdersRequest, 'email'>): ListQuestion => {
  const { merchant, endpoint, kind, operation, status, stage, gate, code, currency, amountFrom, amountTo } = request;
  const { createdFrom, createdTo, updatedFrom, updatedTo } = request;
  if (currency === undefined && (amountFrom ?? amountTo) !== undefined)
    throw new InvalidAction({ status: 400, error: 'an amount needs its currency' });
  assertForwards(request);
  const filter: OrderListFilter = present({
    merchant: merchant as MerchantLogin | undefined,
    endpoint: endpoint as EndpointId | undefined,
    kind: kind as OrderKind | undefined,
    operation,
    status,
    stage: stage as OrderListFilter['stage'],
    gate: gate as GateAlias | undefined,
    code,
    currency: currency as Currency | undefined,
    amountFrom: minor(amountFrom),
    amountTo: minor(amountTo),
    createdFrom: createdFrom as Instant | undefined,
    createdTo: createdTo as Instant | undefined,
    updatedFrom: updatedFrom as Instant | undefined,
    updatedTo: updatedTo as Instant | undefined,
  });
  const named = IDENTIFIER_KINDS.flatMap((name) => {
    const value = request[name];
    return value === undefined ? [] : [[name, name === 'cardMask' ? value.replace('-', '') : value] as const];
  });
  return { filter, identifiers: Object.fromEntries(named) };
};
