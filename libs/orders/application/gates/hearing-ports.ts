import type { AttemptKey, Deadline, GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { GateReport } from '@app/gateway-adapters/contract';

/** Where a gate tells by itself what became of one request. */
export interface NotificationAddresses {
  notificationUrl(gate: GateAlias, stream: StreamName, key: AttemptKey): string;
}

/** The order's stream, and the key of a request of its to the gate, as a notification address names them. */
export interface NotifiedRequest {
  readonly stream: StreamName;
  readonly key: AttemptKey;
}

/** A request of which a gate tells: named by the address, or by its key alone at an address that serves all orders. */
export type ToldRequest = NotifiedRequest | (Pick<NotifiedRequest, 'key'> & { readonly stream?: undefined });

/** Where the log has a request of which only the key is known. What it finds is looked up in the stream: an index is never proof. */
export interface RequestIndex {
  /**
   * The streams of the orders of which the key is an identifier, at most a few; none where the read models do not know it yet.
   * @throws StoreUnavailable where it cannot be asked
   */
  streamsOf(key: AttemptKey, deadline?: Deadline): Promise<readonly StreamName[]>;
}

/** The reactors' agenda, whichever process keeps it. */
export interface OrderAgenda {
  /** Makes whatever waits for this order due now; what is really due, its stream tells. Nothing where nothing waits. @throws where it is away */
  dueNow(stream: StreamName): Promise<void>;
}

/** What became of one report. */
export type HeardOutcome =
  /** An event was appended. */
  | 'recorded'
  | 'nothing-new'
  /** It is about an order after its end and does not fit it: kept there for a person. */
  | 'set-aside'
  /** It is about an order that no gate was asked about, or of which very much was reported. */
  | 'refused'
  /** Authenticated, and it decides nothing: the gate is asked. */
  | 'undecided'
  /** The log does not know the key yet: kept for a while. */
  | 'early'
  /** Kept, and the log did not come to know the key: somebody has to look. */
  | 'never-known'
  /** There was no room to keep it. */
  | 'no-room'
  /** The key is none of this address or of this gate. */
  | 'unknown'
  /** A hint: the order is inquired soon. */
  | 'due'
  /** A hint about an order of which the gate owes nothing. */
  | 'nothing-open'
  /** A hint beyond the rate, or to a gate that orders do without at the moment: the order is inquired by its schedule. */
  | 'limited'
  | 'circuit-open'
  /** It could not be looked at. */
  | 'failed';

/** Hears what gates tell by themselves, for metrics and the log. */
export interface HearingWatch {
  /** @param kind `nothing` for a request without a report: of no interest, forged, or not understood */
  heard(gate: GateAlias, kind: GateReport['kind'] | 'nothing', outcome: HeardOutcome): void;
  /** Somebody has to look: the gate knows a request that the log does not. */
  neverKnown(gate: GateAlias, told: ToldRequest): void;
  /** What an adapter threw, or what kept the log or the agenda from being used; never what was sent. */
  hearingFailed(gate: GateAlias, error: unknown, stream?: StreamName): void;
}

/** A report of a gate about an order that it may know. */
export interface HeardReport<Report> {
  readonly gate: GateAlias;
  readonly stream: StreamName;
  readonly report: Report;
  readonly deadline?: Deadline | undefined;
}
