import type { AttemptKey, Deadline, GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { GateReport } from '@app/gateway-adapters/contract';

/** The address for a gate's notifications about one request. */
export interface NotificationAddresses {
  notificationUrl(gate: GateAlias, stream: StreamName, key: AttemptKey): string;
}

/** The order's stream and the key of one of its requests, as named by a notification address. */
export interface NotifiedRequest {
  readonly stream: StreamName;
  readonly key: AttemptKey;
}

/** A request named by the notification address, or only by its key at an address shared by all orders. */
export type ToldRequest = NotifiedRequest | (Pick<NotifiedRequest, 'key'> & { readonly stream?: undefined });

/** Finds the order of a request by its key. Check the result in the stream: an index is never proof. */
export interface RequestIndex {
  /**
   * Streams of the orders that have this key as an identifier, at most a few; empty if the read models do not have it yet.
   * @throws StoreUnavailable
   */
  streamsOf(key: AttemptKey, deadline?: Deadline): Promise<readonly StreamName[]>;
}

export interface OrderAgenda {
  /** Makes the order's waiting work due now; its stream decides what to do. @throws if the agenda is unavailable */
  dueNow(stream: StreamName): Promise<void>;
}

export type HeardOutcome =
  | 'recorded'
  | 'nothing-new'
  /** It is about an order after its end and does not fit it: kept there for an operator. */
  | 'set-aside'
  /** No gate was asked about the order, or it has too many reports. */
  | 'refused'
  /** Authenticated but undecided, so the gate is asked. */
  | 'undecided'
  /** The log does not have the key yet: kept for a while. */
  | 'early'
  /** Kept, but the log never recorded the key: an operator has to check. */
  | 'never-known'
  | 'no-room'
  /** The key does not belong to this address or gate. */
  | 'unknown'
  | 'due'
  /** A hint for an order with no open outcome. */
  | 'nothing-open'
  /** A hint above the rate limit, or to a gate with an open circuit: the order keeps its inquiry schedule. */
  | 'limited'
  | 'circuit-open'
  | 'failed';

/** Receives the outcome of each gate notification, for metrics and logs. */
export interface HearingWatch {
  /** @param kind `nothing` for a request without a report: irrelevant, forged or unreadable */
  heard(gate: GateAlias, kind: GateReport['kind'] | 'nothing', outcome: HeardOutcome): void;
  /** An operator has to check: the gate knows a request that the log does not. */
  neverKnown(gate: GateAlias, told: ToldRequest): void;
  /** What an adapter threw, or why the log or the agenda was unavailable; never the notification's content. */
  hearingFailed(gate: GateAlias, error: unknown, stream?: StreamName): void;
}

/** A gate's report about an order that it may know. */
export interface HeardReport<Report> {
  readonly gate: GateAlias;
  readonly stream: StreamName;
  readonly report: Report;
  readonly deadline?: Deadline | undefined;
}
