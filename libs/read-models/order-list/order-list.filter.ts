import type { Currency, EndpointId, GateAlias, Instant, MerchantLogin, OrderKind } from '@app/kernel';
import type { Operation } from '@app/orders/events';
import type { OrderStage, OrderStatus, OrderStatusView } from '../order-status/order-status.view';

/** Conditions are combined with "and". Ranges include their start but not their end; amounts include both. */
export interface OrderListFilter {
  readonly merchant?: MerchantLogin;
  readonly endpoint?: EndpointId;
  readonly kind?: OrderKind;
  readonly operation?: Operation;
  readonly status?: OrderStatus;
  readonly stage?: OrderStage;
  readonly gate?: GateAlias;
  readonly code?: number;
  readonly currency?: Currency;
  /** Minor units. */
  readonly amountFrom?: bigint;
  readonly amountTo?: bigint;
  readonly createdFrom?: Instant;
  readonly createdTo?: Instant;
  readonly updatedFrom?: Instant;
  readonly updatedTo?: Instant;
}

export interface ListedOrder {
  readonly view: OrderStatusView;
  readonly updatedAt: Instant;
}

const isSame = <Value>(wanted: Value | undefined, is: Value | null): boolean => wanted === undefined || wanted === is;
const isFrom = (from: number | bigint | undefined, is: number | bigint): boolean => from === undefined || is >= from;
const isBefore = (to: number | undefined, is: number): boolean => to === undefined || is < to;

/** Repeats the filter on the order itself, because an index row may be wrong. */
export const isListed = (filter: OrderListFilter, { view, updatedAt }: ListedOrder): boolean => {
  const amount = BigInt(view.amountMinor);
  return (
    isSame(filter.merchant, view.merchant) &&
    isSame(filter.endpoint, view.endpointId) &&
    isSame(filter.kind, view.kind) &&
    isSame(filter.operation, view.operation) &&
    isSame(filter.status, view.status) &&
    isSame(filter.stage, view.stage) &&
    isSame(filter.gate, view.gate?.alias ?? null) &&
    isSame(filter.code, view.code) &&
    isSame(filter.currency, view.currency) &&
    isFrom(filter.amountFrom, amount) &&
    (filter.amountTo === undefined || amount <= filter.amountTo) &&
    isFrom(filter.createdFrom, view.acceptedAt) &&
    isBefore(filter.createdTo, view.acceptedAt) &&
    isFrom(filter.updatedFrom, updatedAt) &&
    isBefore(filter.updatedTo, updatedAt)
  );
};
