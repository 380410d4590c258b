import { foldOrderStatus, type OrderStatusView } from '@app/read-models';
import type { DatedEvent } from './dated-events';
import { changesBetween, fieldsOf, type FieldChange, type Fields } from './field-of';
import { orderState, type OrderState } from './order-state';

/** One event of an order, and the state after it. */
export interface ReplayedStep {
  readonly event: DatedEvent;
  readonly state: OrderState;
  readonly fields: Fields;
  readonly changes: readonly FieldChange[];
}

/** Folds step by step, with the fold that order status uses. @throws CannotApply */
export function* replayedSteps(events: Iterable<DatedEvent>): Generator<ReplayedStep, void, void> {
  let view: OrderStatusView | undefined;
  let before = fieldsOf(undefined);
  for (const event of events) {
    view = foldOrderStatus(view, event.logEvent);
    const state = orderState(view);
    const fields = fieldsOf(state);
    yield { event, state, fields, changes: changesBetween(before, fields) };
    before = fields;
  }
}
