import { orderSummary, type OrderSummary } from '@app/read-models/queries';
import { foldOrderStatus, type OrderStatusView } from '@app/read-models';
import type { Instant } from '@app/kernel';
import type { DatedEvent } from './dated-events';

/** An order's state for an investigator: its summary, and what processing it knew. Nothing that is sealed is in it. */
export interface OrderState extends OrderSummary {
  /** The gates of the routing plan, in order. */
  readonly gates: readonly string[];
  /** The text on the payer's statement. */
  readonly descriptor: string | null;
  readonly attemptKey: string | null;
  readonly processingAt: string | null;
  /** The gate's own time of the newest attempt's outcome. */
  readonly processedAt: string | null;
  readonly terminalId: string | null;
  readonly payerAuthentication: string | null;
  readonly eci: string | null;
  readonly advice: string | null;
  readonly randomSum: string | null;
  /** Until when the payer's authentication is awaited; null where it is not. */
  readonly payerDueAt: string | null;
  readonly callbacks: readonly string[];
  readonly conflicts: number;
}

const isoText = (at: Instant | null | undefined): string | null => (at === null || at === undefined ? null : new Date(at).toISOString());

export const orderState = (view: OrderStatusView): OrderState => {
  const { receipt, payer } = view;
  return {
    ...orderSummary(view),
    gates: view.gates.map(({ alias }) => alias),
    descriptor: view.gate?.descriptor ?? null,
    attemptKey: view.attemptKey,
    processingAt: isoText(view.processingAt),
    processedAt: isoText(receipt?.processedAt),
    terminalId: receipt?.terminalId ?? null,
    payerAuthentication: receipt?.payerAuthentication ?? null,
    eci: receipt?.eci ?? null,
    advice: view.advice,
    randomSum: view.randomSum,
    payerDueAt: isoText(payer?.payerDueAt),
    callbacks: view.callbacks,
    conflicts: view.conflicts,
  };
};

/** The view after these events, by the fold that order status uses; undefined where there are none. @throws CannotApply */
export const viewAfter = (events: readonly DatedEvent[]): OrderStatusView | undefined => {
  let view: OrderStatusView | undefined;
  for (const { logEvent } of events) view = foldOrderStatus(view, logEvent);
  return view;
};
