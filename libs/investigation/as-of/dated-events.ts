import type { AttemptKey, Instant } from '@app/kernel';
import type { LogEvent, OrderEvent } from '@app/read-models';
import type { Moment } from './moment';

/** An event of an order with both of its times. */
export interface DatedEvent {
  readonly logEvent: LogEvent<OrderEvent>;
  /** When it was on record: never before an event that stands before it, whatever the clocks of two processes say. */
  readonly knownAt: Instant;
  /** When it was so: by the gate's own clock where the gate gave a time, else when it was on record. */
  readonly trueAt: Instant;
}

const later = (a: Instant, b: Instant): Instant => (a > b ? a : b);

/** The gate's own time of an outcome or a report; undefined where the event has none. */
const gateTimeOf = ({ data }: OrderEvent): Instant | undefined => {
  if ('receipt' in data) return data.receipt?.processedAt;
  return 'happenedAt' in data ? data.happenedAt : undefined;
};

/** Whether both were appended at once: what causes an append is the newest event before it, so no other append has the same. */
const isSameAppend = (one: LogEvent, next: LogEvent): boolean =>
  one.metadata.causation === next.metadata.causation &&
  one.metadata.recordedAt === next.metadata.recordedAt &&
  one.metadata.correlation === next.metadata.correlation &&
  one.metadata.actor === next.metadata.actor;

/**
 * Dates the events of one order, in the order of its stream.
 *
 * A gate's clock is not ours. What it says is taken between two bounds: not before what it cannot have come before (the request that it answers; the
 * approval that a report is about; the report before it in the same case), and not after we had it on record. An event that was appended together with
 * such an outcome and has no time of a gate is part of the same fact, and has its time: the end of an order is as old as the answer that ended it.
 */
class EventDates {
  #knownAt = -Infinity as Instant;
  #approvedAt: Instant | undefined;
  #before: DatedEvent | undefined;
  /** The newest of our own steps to the gate, by attempt, by number of a follow-up, and by case of a report. */
  readonly #attempts = new Map<AttemptKey, Instant>();
  readonly #followUps = new Map<number, Instant>();
  readonly #cases = new Map<string, Instant>();

  date(logEvent: LogEvent<OrderEvent>): DatedEvent {
    this.#knownAt = later(this.#knownAt, logEvent.metadata.recordedAt);
    const dated = { logEvent, knownAt: this.#knownAt, trueAt: this.#trueAtOf(logEvent) };
    this.#remember(dated);
    return dated;
  }

  #trueAtOf(logEvent: LogEvent<OrderEvent>): Instant {
    const atGate = gateTimeOf(logEvent.event);
    if (atGate !== undefined) {
      const earliest = later(atGate, this.#causedAt(logEvent.event) ?? atGate);
      return earliest < this.#knownAt ? earliest : this.#knownAt;
    }
    const before = this.#before;
    return before !== undefined && isSameAppend(before.logEvent, logEvent) ? before.trueAt : this.#knownAt;
  }

  /** Only outcomes and reports have a time of a gate, and are looked up here. */
  #causedAt({ data }: OrderEvent): Instant | undefined {
    if ('reportId' in data) {
      const ofCase = this.#cases.get(caseOf(data)) ?? this.#approvedAt;
      return ofCase === undefined || this.#approvedAt === undefined ? ofCase : later(ofCase, this.#approvedAt);
    }
    if ('attemptKey' in data) return this.#attempts.get(data.attemptKey);
    return 'number' in data ? this.#followUps.get(data.number) : undefined;
  }

  #remember(dated: DatedEvent): void {
    this.#before = dated;
    const { event } = dated.logEvent;
    const { trueAt } = dated;
    if (event.type === 'OrderApproved' || event.type === 'OutcomeReconciled') this.#approvedAt = trueAt;
    else if (event.type === 'AttemptStarted' || event.type === 'PayerReturned' || event.type === 'GateFeeChosen')
      this.#attempts.set(event.data.attemptKey, trueAt);
    else if (event.type === 'FollowUpAccepted' || event.type === 'FollowUpStarted') this.#followUps.set(event.data.number, trueAt);
    else if ('reportId' in event.data) this.#cases.set(caseOf(event.data), trueAt);
  }
}

const caseOf = ({ gate, reportId }: { readonly gate: string; readonly reportId: string }): string => JSON.stringify([gate, reportId]);

export const datedEvents = (history: readonly LogEvent<OrderEvent>[]): readonly DatedEvent[] => {
  const dates = new EventDates();
  return history.map((logEvent) => dates.date(logEvent));
};

const isBy = (moment: Moment, { logEvent, knownAt, trueAt }: DatedEvent): boolean => {
  switch (moment.kind) {
    case 'version':
      return logEvent.revision <= moment.version;
    case 'known-at':
      return knownAt <= moment.at;
    case 'true-at':
      return trueAt <= moment.at;
  }
};

/**
 * The events that count at a moment, in the order of the stream. By the gates' clocks some in the middle may be missing (that an outcome was unknown
 * for a while was so only while we did not know better); the order in which they are folded stays that of the stream, in which they were decided.
 */
export const eventsAsOf = (events: readonly DatedEvent[], moment: Moment): readonly DatedEvent[] =>
  events.filter((event) => isBy(moment, event));
