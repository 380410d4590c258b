import { causesOf, type Cause } from './causes';
import type { DatedEvent } from './dated-events';
import { isWithin, topNames, type FieldValue } from './field-of';
import { replayedSteps, type ReplayedStep } from './replayed-steps';

/** Why a field has its value: the event that gave it, and what that came from. */
export interface Explained {
  readonly kind: 'explained';
  /** The leaves of the field, by their paths. */
  readonly values: ReadonlyMap<string, FieldValue>;
  /** What of it the event changed, as it was before; of a field that never changed this is empty, and the event is the acceptance. */
  readonly before: ReadonlyMap<string, FieldValue>;
  readonly event: DatedEvent;
  /** The nearest first. */
  readonly causes: readonly Cause[];
}

export type Why = Explained | { readonly kind: 'no-field'; readonly known: readonly string[] } | { readonly kind: 'no-state' };

/** @param events those that count, of which the newest that changed the field is sought; `history` has all, to follow the causes */
export const whyOf = (field: string, events: readonly DatedEvent[], history: readonly DatedEvent[]): Why => {
  let [last, changer]: (ReplayedStep | undefined)[] = [];
  for (const step of replayedSteps(events)) {
    last = step;
    changer ??= step;
    if (step.changes.some((change) => isWithin(change.field, field))) changer = step;
  }
  if (last === undefined) return { kind: 'no-state' };
  const values = new Map([...last.fields].filter(([path]) => isWithin(path, field)));
  if (changer === undefined || values.size === 0) return { kind: 'no-field', known: topNames(last.fields) };
  const before = new Map(changer.changes.filter((change) => isWithin(change.field, field)).map((change) => [change.field, change.before]));
  return { kind: 'explained', values, before, event: changer.event, causes: causesOf(changer.event, history) };
};
