import type { Instant, AttemptKey } from '@app/kernel';
import { readChained, type EventStore, type StreamName } from '@app/event-store';
import { decodeAny, orderSummary, type OrderSummary } from '@app/read-models/queries';
import { logEventOf, type LogEvent, type OrderEvent, foldOrderStatus, type OrderStatusView } from '@app/read-models';

/**
 * A point of an order's past: the event of this revision and all before it; what was on record at a time; or what was so at a time by the gates' own
 * clocks, also where it was recorded later.
 */
export type Moment =
  | { readonly kind: 'version'; readonly version: bigint }
  | { readonly kind: 'known-at'; readonly at: Instant }
  | { readonly kind: 'true-at'; readonly at: Instant };

const VERSION = /^(?:0|[1-9]\d{0,9})$/;
const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(?:Z|([+-])(\d{2}):(\d{2}))$/;

const HOURS_OF_ZONE_MAX = 14;
const MINUTES_PER_HOUR = 60;
const MINUTE_MS = 60_000;
const FRACTION_DIGITS = 3;

/** A revision, as `orch show` and the API count them: from 0. Undefined for a text that is none. */
export const parseVersion = (text: string): bigint | undefined => (VERSION.test(text) ? BigInt(text) : undefined);

/**
 * An ISO 8601 time to the minute, second or millisecond, with Z or an offset: without one it would mean another moment in every office. Undefined for
 * a text that is none, and for a day or an hour that does not exist.
 */
export const parseTime = (text: string): Instant | undefined => {
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign = '+', zoneHours = '0', zoneMinutes = '0'] =
    ISO.exec(text) ?? [];
  if (year === undefined || month === undefined) return undefined;
  const [hours, minutes] = [Number(zoneHours), Number(zoneMinutes)];
  if (hours > HOURS_OF_ZONE_MAX || minutes >= MINUTES_PER_HOUR) return undefined;
  const milliseconds = Number(fraction.padEnd(FRACTION_DIGITS, '0'));
  const parts = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const;
  const local = new Date(0);
  // Date.UTC takes the years below 100 for those of the twentieth century.
  local.setUTCFullYear(parts[0], parts[1], parts[2]);
  local.setUTCHours(parts[3], parts[4], parts[5], milliseconds);
  const written = [
    local.getUTCFullYear(),
    local.getUTCMonth(),
    local.getUTCDate(),
    local.getUTCHours(),
    local.getUTCMinutes(),
    local.getUTCSeconds(),
  ];
  if (written.some((part, index) => part !== parts[index])) return undefined;
  const offset = (hours * MINUTES_PER_HOUR + minutes) * MINUTE_MS;
  return (local.getTime() - (sign === '-' ? -offset : offset)) as Instant;
};

/** Whether the first of two moments is told to be the later one. A version and a time are told apart by the events alone. */
export const isLaterMoment = (one: Moment, other: Moment): boolean => {
  if (one.kind === 'version') return other.kind === 'version' && one.version > other.version;
  return one.kind === other.kind && one.at > other.at;
};

/** No order's stream is longer, unless something is wrong. */
const STREAM_EVENTS_MAX = 10_000;

/**
 * All events of one order, with its chain verified.
 * @throws BrokenChain; UndecodableEvent for an event that this release cannot read; Error for a stream that is too long
 */
export const orderHistory = async (log: Pick<EventStore, 'read'>, stream: StreamName): Promise<readonly LogEvent<OrderEvent>[]> => {
  const history: LogEvent<OrderEvent>[] = [];
  for await (const stored of readChained(log, stream)) {
    const event = decodeAny(stored);
    if (event === undefined) throw new Error(`${stream}: not an order`);
    // The codec of the stream's category made it.
    if (history.push(logEventOf(stored, event as OrderEvent)) > STREAM_EVENTS_MAX) {
      throw new Error(`${stream} holds more than ${STREAM_EVENTS_MAX} events`);
    }
  }
  return history;
};

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
