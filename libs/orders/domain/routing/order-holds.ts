import { unreachable, type Decider, type Instant, type MerchantLogin, type NonEmpty, type Sealed } from '@app/kernel';

export const HELD_KINDS = ['gate', 'endpoint'] as const;

/** What gets no new orders. */
export interface HoldTarget {
  readonly kind: (typeof HELD_KINDS)[number];
  /** Alias of a gate, or id of an entry point. */
  readonly id: string;
  /** Absent for a gate. */
  readonly merchant?: MerchantLogin;
}

export type NewOrdersHeld = {
  readonly type: 'NewOrdersHeld';
  readonly data: HoldTarget & { readonly reason: Sealed; readonly heldAt: Instant };
};
export type NewOrdersReleased = {
  readonly type: 'NewOrdersReleased';
  readonly data: HoldTarget & { readonly reason: Sealed; readonly releasedAt: Instant };
};
export type HoldEvent = NewOrdersHeld | NewOrdersReleased;

export interface HoldCommand {
  readonly type: 'HoldNewOrders' | 'ReleaseNewOrders';
  readonly data: HoldTarget & { readonly reason: Sealed; readonly now: Instant };
}

export interface HoldRejection {
  readonly reason: 'held-before' | 'not-held';
}

export type OrderHolds = ReadonlyMap<string, NewOrdersHeld['data']>;

export const holdKey = ({ kind, id }: Pick<HoldTarget, 'kind' | 'id'>): string => `${kind} ${id}`;

const evolve = (holds: OrderHolds, event: HoldEvent): OrderHolds => {
  const next = new Map(holds);
  if (event.type === 'NewOrdersHeld') next.set(holdKey(event.data), event.data);
  else next.delete(holdKey(event.data));
  return next;
};

const decide = ({ type, data }: HoldCommand, holds: OrderHolds): NonEmpty<HoldEvent> | HoldRejection => {
  const { now, ...target } = data;
  const isHeld = holds.has(holdKey(target));
  switch (type) {
    case 'HoldNewOrders':
      return isHeld ? { reason: 'held-before' } : [{ type: 'NewOrdersHeld', data: { ...target, heldAt: now } }];
    case 'ReleaseNewOrders':
      return isHeld ? [{ type: 'NewOrdersReleased', data: { ...target, releasedAt: now } }] : { reason: 'not-held' };
    default:
      return unreachable(type);
  }
};

/** All holds share one stream, because every process reads it at its start. */
export const orderHolds: Decider<HoldCommand, HoldEvent, OrderHolds, HoldRejection> = { initial: new Map(), evolve, decide };
