import type { AttemptKey, Deadline, GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { GateReport } from '@app/gateway-adapters/contract';

export interface NotificationAddresses {
  notificationUrl(gate: GateAlias, stream: StreamName, key: AttemptKey): string;
}

export interface NotifiedRequest {
  readonly stream: StreamName;
  readonly key: AttemptKey;
}

/** At an address shared by all orders the request has only its key. */
export type ReportedRequest = NotifiedRequest | (Pick<NotifiedRequest, 'key'> & { readonly stream?: undefined });

/** Check the result in the stream: an index is never proof. */
export interface RequestIndex {
  /**
   * At most a few; empty if the read models do not have the key yet.
   * @throws StoreUnavailable
   */
  streamsOf(key: AttemptKey, deadline?: Deadline): Promise<readonly StreamName[]>;
}

export interface OrderAgenda {
  /** @throws if the agenda is unavailable */
  dueNow(stream: StreamName): Promise<void>;
}

export type ReceivedReportOutcome =
  | 'recorded'
  | 'nothing-new'
  | 'set-aside'
  /** No gate was asked about the order, or it has too many reports. */
  | 'refused'
  | 'undecided'
  | 'early'
  /** An operator has to check. */
  | 'never-known'
  | 'no-room'
  /** The key does not belong to this address or gate. */
  | 'unknown'
  | 'due'
  | 'nothing-open'
  /** Above the rate limit, or the gate's circuit is open: the order keeps its inquiry schedule. */
  | 'limited'
  | 'circuit-open'
  | 'failed';

export interface GateNotificationListener {
  /** @param kind `nothing` for a request without a report: irrelevant, forged or unreadable */
  heard(gate: GateAlias, kind: GateReport['kind'] | 'nothing', outcome: ReceivedReportOutcome): void;
  /** An operator has to check: the gate knows a request that the log does not. */
  neverKnown(gate: GateAlias, told: ReportedRequest): void;
  /** Never with the notification's content. */
  notificationFailed(gate: GateAlias, error: unknown, stream?: StreamName): void;
}

export interface ReceivedReport<Report> {
  readonly gate: GateAlias;
  readonly stream: StreamName;
  readonly report: Report;
  readonly deadline?: Deadline | undefined;
}
