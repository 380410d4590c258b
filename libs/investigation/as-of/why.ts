import { foldOrderStatus, type OrderStatusView } from '@app/read-models';
import { collectFields, leavesOf, type FieldChange, type FieldValue } from '../words/fields';
import { type OrderState, type DatedEvent, orderState, viewAfter } from './dated-events';

type Fields = ReadonlyMap<string, FieldValue>;

const NO_FIELDS: Fields = new Map();

const fieldsOf = (state: OrderState | undefined): Fields => (state === undefined ? NO_FIELDS : leavesOf(state));

/** Differing fields in the order of the later state; removed fields come last. */
const changesBetween = (before: Fields, after: Fields): readonly FieldChange[] => {
  const changes: FieldChange[] = [];
  for (const [field, value] of after) {
    const old = before.get(field) ?? null;
    if (old !== value) changes.push({ field, before: old, after: value });
  }
  for (const [field, value] of before) if (value !== null && !after.has(field)) changes.push({ field, before: value, after: null });
  return changes;
};

/** A loop, because a long order compares its lists at each event. */
const differing = <Item>(list: readonly Item[] = [], other: readonly Item[] = []): readonly number[] => {
  const places: number[] = [];
  if (list === other) return places;
  for (let place = 0; place < list.length; place += 1) if (list[place] !== other[place]) places.push(place);
  return places;
};

const at = <Item>(places: readonly number[], list: readonly Item[] = []): Item[] => places.flatMap((place) => list[place] ?? []);

/** Leaves out list items that both views share, so that a replay takes time in proportion to its events. */
const fieldsApart = (view: OrderStatusView | undefined, other: OrderStatusView | undefined): Fields => {
  if (view === undefined) return NO_FIELDS;
  const requests = differing(view.requests, other?.requests);
  const followUps = differing(view.followUps, other?.followUps);
  const reports = differing(view.reports, other?.reports);
  const part = {
    ...view,
    requests: at(requests, view.requests),
    followUps: at(followUps, view.followUps),
    reports: at(reports, view.reports),
  };
  const fields = new Map<string, FieldValue>();
  collectFields(orderState(part), '', fields, { serials: requests, followUps, reports });
  return fields;
};

export const changesOfView = (before: OrderStatusView | undefined, after: OrderStatusView | undefined): readonly FieldChange[] =>
  changesBetween(fieldsApart(before, after), fieldsApart(after, before));

const isWithin = (field: string, name: string): boolean =>
  field === name || (field.startsWith(name) && (field[name.length] === '.' || field[name.length] === '['));

const AFTER_A_DIVIDER = /[.[]/;

const topNames = (fields: Fields): readonly string[] => [
  ...new Set([...fields.keys()].map((field) => field.split(AFTER_A_DIVIDER)[0] ?? field)),
];

export class ReplayedStep {
  constructor(
    readonly event: DatedEvent,
    readonly changes: readonly FieldChange[],
    private readonly view: OrderStatusView,
  ) {}

  get state(): OrderState {
    return orderState(this.view);
  }

  get fields(): Fields {
    return leavesOf(this.state);
  }
}

export function* replayedSteps(events: Iterable<DatedEvent>): Generator<ReplayedStep, void, void> {
  let before: OrderStatusView | undefined;
  for (const event of events) {
    const view = foldOrderStatus(before, event.logEvent);
    yield new ReplayedStep(event, changesOfView(before, view), view);
    before = view;
  }
}

export interface FieldDifference extends FieldChange {
  /** The event that set the field's later value. */
  readonly event: DatedEvent;
}

/**
 * Differing fields between two sets of an order's events, each with the responsible event.
 * @param to should contain the events of `from`
 */
export const differenceOf = (from: readonly DatedEvent[], to: readonly DatedEvent[]): readonly FieldDifference[] => {
  const earlier = viewAfter(from);
  const changedBy = new Map<string, DatedEvent>();
  let last: ReplayedStep | undefined;
  for (const step of replayedSteps(to)) {
    for (const { field } of step.changes) changedBy.set(field, step.event);
    last = step;
  }
  return changesBetween(fieldsOf(earlier && orderState(earlier)), fieldsOf(last?.state)).flatMap((change) => {
    const event = changedBy.get(change.field);
    return event === undefined ? [] : [{ ...change, event }];
  });
};

export type Cause =
  | { readonly kind: 'event'; readonly event: DatedEvent }
  /** A request, by its serial-number. */
  | { readonly kind: 'request'; readonly serial: string }
  /** An event of another stream, or an operator's action. */
  | { readonly kind: 'elsewhere'; readonly id: string };

/** Follows the causes back to the request or another stream, the nearest first. It terminates, since causes are always earlier events. */
const causesOf = (event: DatedEvent, history: readonly DatedEvent[]): readonly Cause[] => {
  const byId = new Map<string, DatedEvent>(history.map((one) => [one.logEvent.id, one]));
  const causes: Cause[] = [];
  let current = event;
  for (;;) {
    const { causation, correlation } = current.logEvent.metadata;
    const before = byId.get(causation);
    if (before === undefined) return [...causes, originOf(causation, correlation)];
    if (before.logEvent.revision >= current.logEvent.revision) return [...causes, { kind: 'elsewhere', id: causation }];
    causes.push({ kind: 'event', event: before });
    current = before;
  }
};

const originOf = (causation: string, correlation: string): Cause =>
  causation === correlation ? { kind: 'request', serial: causation } : { kind: 'elsewhere', id: causation };

export interface Explained {
  readonly kind: 'explained';
  readonly values: ReadonlyMap<string, FieldValue>;
  /** Previous values of the changed part. Empty if the field never changed; the event is then the acceptance. */
  readonly before: ReadonlyMap<string, FieldValue>;
  readonly event: DatedEvent;
  /** Nearest cause first. */
  readonly causes: readonly Cause[];
}

type Why = Explained | { readonly kind: 'no-field'; readonly known: readonly string[] } | { readonly kind: 'no-state' };

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
