import type { DatedEvent } from './dated-events';
import { changesBetween, fieldsOf, type FieldChange } from './field-of';
import { orderState, viewAfter } from './order-state';
import { replayedSteps } from './replayed-steps';

/** A field that two moments of an order have differently. */
export interface FieldDifference extends FieldChange {
  /** The event that gave the field what it has at the later moment. */
  readonly event: DatedEvent;
}

/**
 * The fields that differ between two sets of an order's events, with the event behind each.
 * @param to folds to the later state; it should contain what `from` does
 */
export const differenceOf = (from: readonly DatedEvent[], to: readonly DatedEvent[]): readonly FieldDifference[] => {
  const earlier = viewAfter(from);
  const changedBy = new Map<string, DatedEvent>();
  let after = fieldsOf(undefined);
  for (const { event, fields, changes } of replayedSteps(to)) {
    for (const { field } of changes) changedBy.set(field, event);
    after = fields;
  }
  return changesBetween(fieldsOf(earlier && orderState(earlier)), after).flatMap((change) => {
    const event = changedBy.get(change.field);
    // A field that only the earlier set has was taken away by none of the later one's events.
    return event === undefined ? [] : [{ ...change, event }];
  });
};
