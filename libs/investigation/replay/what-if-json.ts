import { formatAmount } from '@app/kernel';
import type { NotKnown, WouldEnd } from './past-order';
import { type DecidedAgain, WHAT_IF_CLASSES, type WhatIfClass } from './replay-decisions';
import type { WhatIfEnd, WhatIfTotals } from './what-if';

export type WhatIfOrderEnd =
  { readonly kind: 'approved'; readonly amount: string; readonly gate: string | null } | Exclude<WouldEnd, { readonly kind: 'approved' }>;

/** An order that other rules would decide differently. */
export interface WhatIfOrderJson {
  readonly class: WhatIfClass;
  readonly orderId: string;
  readonly merchant: string;
  readonly clientOrderId: string;
  readonly endpointId: string;
  readonly amount: string;
  readonly currency: string;
  /** The rule that makes the difference. */
  readonly by: string | null;
  readonly was: WhatIfOrderEnd;
  readonly would: WhatIfOrderEnd;
  /** The order has no recorded draw, so a new one was made. */
  readonly isDrawnAnew: boolean;
}

export interface WhatIfResultJson {
  readonly orders: number;
  readonly classes: Readonly<Record<WhatIfClass, number>>;
  /** Number of orders by the reason why their result is not known. */
  readonly notKnown: Readonly<Partial<Record<NotKnown, number>>>;
  readonly drawnAnew: number;
  readonly unreadable: number;
  /** More orders were open, or more cards counted, than are followed at one time. */
  readonly isIncomplete: boolean;
  /** Decided orders by their past and their new end; only an approval has a gate. Entry points that keep their rules are not in it. */
  readonly ends: readonly {
    readonly outcome: 'approved' | 'declined' | 'filtered' | 'error' | 'unknown';
    readonly gate: string | null;
    readonly was: number;
    readonly would: number;
  }[];
  /** Amounts in major units. An amount whose result is not known is in no other sum. */
  readonly rules: readonly {
    readonly by: string;
    readonly currency: string;
    readonly orders: number;
    readonly wasApproved: string;
    readonly wouldBeApproved: string;
    readonly notKnown: number;
    readonly notKnownWasApproved: string;
    readonly notKnownAskedFor: string;
  }[];
}

const endAsJson = (end: WouldEnd): WhatIfOrderEnd =>
  end.kind === 'approved' ? { kind: end.kind, amount: formatAmount(end.amount.minor), gate: end.gate ?? null } : end;

export const decidedAsJson = ({ order, class: found, was, would, by, isDrawnAnew }: DecidedAgain): WhatIfOrderJson => ({
  class: found,
  orderId: order.orderId,
  merchant: order.merchant,
  clientOrderId: order.clientOrderId,
  endpointId: order.endpointId,
  amount: formatAmount(order.amount.minor),
  currency: order.amount.currency,
  by: by ?? null,
  was: endAsJson(was),
  would: endAsJson(would),
  isDrawnAnew,
});

/** Entry points that keep their rules are counted as decided like before. */
export const countOfClass = ({ classes }: Pick<WhatIfTotals, 'classes'>, { notConcerned }: WhatIfEnd, name: WhatIfClass): number =>
  classes[name] + (name === 'same' ? notConcerned : 0);

export const whatIfAsJson = (totals: WhatIfTotals, end: WhatIfEnd): WhatIfResultJson => ({
  orders: end.orders,
  classes: Object.fromEntries(WHAT_IF_CLASSES.map((name) => [name, countOfClass(totals, end, name)])) as Record<WhatIfClass, number>,
  notKnown: Object.fromEntries(totals.notKnown),
  drawnAnew: totals.drawnAnew,
  unreadable: end.unreadable,
  isIncomplete: end.isIncomplete,
  ends: totals.ends(),
  rules: totals.rules().map((row) => ({
    by: row.by,
    currency: row.currency,
    orders: row.orders,
    wasApproved: formatAmount(row.wasMinor),
    wouldBeApproved: formatAmount(row.wouldMinor),
    notKnown: row.notKnown,
    notKnownWasApproved: formatAmount(row.notKnownWasMinor),
    notKnownAskedFor: formatAmount(row.notKnownAskedMinor),
  })),
});
