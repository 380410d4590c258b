import { isoInstant, type Instant } from '@app/kernel';
import { foldOrderStatus, type OrderStatusView } from '@app/read-models';
import { eventAsJson, type EventJson } from './as-json';
import type { DatedEvent } from './dated-events';
import type { FieldChange } from '../words/fields';
import { changesOfView, replayedSteps } from './why';

interface RecordedStep {
  readonly event: EventJson;
  /** Against the state after the previous event. */
  readonly changes: readonly FieldChange[];
}

interface TrueStep {
  /** ISO 8601, by the gates' clocks. */
  readonly trueAt: string;
  /** The events that count from this time on. */
  readonly revisions: readonly number[];
  /** Against the state before this time. */
  readonly changes: readonly FieldChange[];
}

/** Every state of an order by both clocks. A state at a moment is made of all changes up to it. */
export interface OrderSteps {
  /** One for each event, in the order of recording. */
  readonly steps: readonly RecordedStep[];
  /** By the gates' clocks, oldest first. Null if no event happened before an earlier recorded one: `steps` with `trueAt` then serve both clocks. */
  readonly trueSteps: readonly TrueStep[] | null;
  /** Present if later times are missing in `trueSteps`, because too many events were recorded late. `/state?trueAt` answers for them. */
  readonly areTrueStepsCut?: true;
}

/** An event that is true before an earlier recorded one repeats the projection from its start. The whole order is projected about a hundred times at most. */
const FOLDS_MAX = 500_000;

interface Group {
  readonly trueAt: Instant;
  readonly events: DatedEvent[];
}

const byTrueTime = (events: readonly DatedEvent[]): readonly Group[] => {
  const groups: Group[] = [];
  // The sort is stable, so events of one time stay in the order of their revisions.
  for (const event of events.toSorted((a, b) => a.trueAt - b.trueAt)) {
    const last = groups.at(-1);
    if (last?.trueAt === event.trueAt) last.events.push(event);
    else groups.push({ trueAt: event.trueAt, events: [event] });
  }
  return groups;
};

/** Lets requests of merchants run between parts of a long order. */
const STEPS_PER_TURN = 64;

const turnAfter = async (steps: number): Promise<void> => {
  if (steps % STEPS_PER_TURN === 0) await new Promise((resolve) => void setImmediate(resolve));
};

const stepsByTrueTime = async (
  events: readonly DatedEvent[],
  foldsMax: number,
): Promise<{ readonly trueSteps: readonly TrueStep[]; readonly isCut: boolean }> => {
  const trueSteps: TrueStep[] = [];
  const counted: DatedEvent[] = [];
  let view: OrderStatusView | undefined;
  let folds = 0;
  for (const { trueAt, events: added } of byTrueTime(events)) {
    const before = view;
    const newest = counted.at(-1)?.logEvent.revision ?? -1n;
    const isLate = added.some(({ logEvent }) => logEvent.revision < newest);
    counted.push(...added);
    if (isLate) counted.sort((a, b) => (a.logEvent.revision < b.logEvent.revision ? -1 : 1));
    const toFold = isLate ? counted : added;
    folds += toFold.length;
    if (folds > foldsMax) return { trueSteps, isCut: true };
    view = toFold.reduce((folded, { logEvent }) => foldOrderStatus(folded, logEvent), isLate ? undefined : before);
    const revisions = added.map(({ logEvent }) => Number(logEvent.revision));
    await turnAfter(trueSteps.push({ trueAt: isoInstant(trueAt), revisions, changes: changesOfView(before, view) }));
  }
  return { trueSteps, isCut: false };
};

export const orderSteps = async (events: readonly DatedEvent[], foldsMax: number = FOLDS_MAX): Promise<OrderSteps> => {
  const steps: RecordedStep[] = [];
  for (const { event, changes } of replayedSteps(events)) await turnAfter(steps.push({ event: eventAsJson(event), changes }));
  const isInOrder = events.every(({ trueAt }, index) => trueAt >= (events[index - 1]?.trueAt ?? trueAt));
  if (isInOrder) return { steps, trueSteps: null };
  const { trueSteps, isCut } = await stepsByTrueTime(events, foldsMax);
  return { steps, trueSteps, ...(isCut && { areTrueStepsCut: true }) };
};
