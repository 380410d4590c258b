import { aroundDay, IDENTIFIER_KINDS, isDay, isZone, type ListQuestion, type Notice } from '@app/investigation';
import { present, type Currency, type EndpointId, type GateAlias, type Instant, type MerchantLogin, type OrderKind } from '@app/kernel';
import type { OrderListFilter } from '@app/read-models';
import { InvalidAction } from './action.pipe';
import { A_DAY, A_ZONE, type ListOrdersRequest, type SearchOrdersRequest } from './list-orders.request';

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

/** @throws InvalidAction for a day or a zone that there is not, and for a zone without a day */
const noticeIn = ({ lastFour, descriptor, on, zone }: ListOrdersRequest): Notice | undefined => {
  if (zone !== undefined && on === undefined) throw new InvalidAction({ status: 400, error: 'zone is the zone of on: give a day' });
  if (on !== undefined && !isDay(on)) throw new InvalidAction({ status: 400, error: A_DAY });
  if (zone !== undefined && !isZone(zone)) throw new InvalidAction({ status: 400, error: A_ZONE });
  const notice = present({ lastFour, descriptor, ...(on !== undefined && aroundDay(on, zone ?? 'UTC')) });
  return Object.keys(notice).length === 0 ? undefined : notice;
};

/** @throws InvalidAction where its members do not go together */
export const listQuestion = (request: ListOrdersRequest & Pick<SearchOrdersRequest, 'email'>): ListQuestion => {
  const { merchant, endpoint, kind, operation, status, stage, gate, code, currency, amountFrom, amountTo } = request;
  const { createdFrom, createdTo, updatedFrom, updatedTo } = request;
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
  const notice = noticeIn(request);
  return { filter, identifiers: Object.fromEntries(named), ...(notice && { notice }) };
};
