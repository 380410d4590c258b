import type { Instant, AttemptKey } from '@app/kernel';
import { readChained, type EventStore, type StreamName } from '@app/event-store';
import { decodeAny, orderSummary, type OrderSummary } from '@app/read-models/queries';
import { logEventOf, type LogEvent, type OrderEvent, foldOrderStatus, type OrderStatusView } from '@app/read-models';

/** A point of an order's past: up to a revision, up to a recording time, or up to a time of the gates' clocks (including events recorded later). */
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

/** Revisions count from 0, as in `orch show` and the API. Undefined for an invalid text. */
export const parseVersion = (text: string): bigint | undefined => (VERSION.test(text) ? BigInt(text) : undefined);

/**
 * An ISO 8601 time to the minute, second or millisecond. Z or an offset is required: local time would be ambiguous.
 * Undefined for an invalid text, and for a day or an hour that does not exist.
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
  // Date.UTC maps years below 100 to the twentieth century.
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

/** True if the first moment is certainly later. A version and a time can only be compared through the events. */
export const isLaterMoment = (one: Moment, other: Moment): boolean => {
  if (one.kind === 'version') return other.kind === 'version' && one.version > other.version;
  return one.kind === other.kind && one.at > other.at;
};

const STREAM_EVENTS_MAX = 10_000;

/**
 * All events of one order, after its chain was verified.
 * @throws BrokenChain; UndecodableEvent for an event that this release cannot read; Error for a stream that is too long
 */
export const orderHistory = async (log: Pick<EventStore, 'read'>, stream: StreamName): Promise<readonly LogEvent<OrderEvent>[]> => {
  const history: LogEvent<OrderEvent>[] = [];
  for await (const stored of readChained(log, stream)) {
    const event = decodeAny(stored);
    if (event === undefined) throw new Error(`${stream}: not an order`);
    // Decoded by the codec of the stream's category.
    if (history.push(logEventOf(stored, event as OrderEvent)) > STREAM_EVENTS_MAX) {
      throw new Error(`${stream} holds more than ${STREAM_EVENTS_MAX} events`);
    }
  }
  return history;
};

export interface DatedEvent {
  readonly logEvent: LogEvent<OrderEvent>;
  /** Recording time; never before that of an earlier event, even if clocks of processes differ. */
  readonly knownAt: Instant;
  readonly trueAt: Instant;
}

const later = (a: Instant, b: Instant): Instant => (a > b ? a : b);

const gateTimeOf = ({ data }: OrderEvent): Instant | undefined => {
  if ('receipt' in data) return data.receipt?.processedAt;
  return 'happenedAt' in data ? data.happenedAt : undefined;
};

/** Events of one append have the same cause: the newest event before it. No other append has that cause. */
const isSameAppend = (one: LogEvent, next: LogEvent): boolean =>
  one.metadata.causation === next.metadata.causation &&
  one.metadata.recordedAt === next.metadata.recordedAt &&
  one.metadata.correlation === next.metadata.correlation &&
  one.metadata.actor === next.metadata.actor;

/**
 * Dates the events of one order. A gate's clock is not ours, so its time is limited on both sides: not before the causing request, approval or report, and not after our recording.
 * Events appended together with such an outcome get its time: an order ended when the decisive answer was given.
 */
class EventDates {
  #knownAt = -Infinity as Instant;
  #approvedAt: Instant | undefined;
  #before: DatedEvent | undefined;
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
 * Events that count at a moment, in stream order, which is also the order of projection.
 * By the gates' clocks, events in the middle may be missing: an unknown outcome is dropped if the real one happened earlier.
 */
export const eventsAsOf = (events: readonly DatedEvent[], moment: Moment): readonly DatedEvent[] =>
  events.filter((event) => isBy(moment, event));

export interface OrderState extends OrderSummary {
  /** The gates of the routing plan, in order. */
  readonly gates: readonly string[];
  /** The text on the payer's statement. */
  readonly descriptor: string | null;
  readonly attemptKey: string | null;
  readonly processingAt: string | null;
  /** The gate's time of the last attempt's outcome. */
  readonly processedAt: string | null;
  readonly terminalId: string | null;
  readonly payerAuthentication: string | null;
  readonly eci: string | null;
  readonly advice: string | null;
  readonly randomSum: string | null;
  /** Deadline of the payer's authentication; null if none is pending. */
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

export const viewAfter = (events: readonly DatedEvent[]): OrderStatusView | undefined => {
  let view: OrderStatusView | undefined;
  for (const { logEvent } of events) view = foldOrderStatus(view, logEvent);
  return view;
};
