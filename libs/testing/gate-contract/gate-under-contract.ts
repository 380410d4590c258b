import type { PeerAnswer, ReceivedRequest, ScriptedPeer } from '@app/gateway-adapters/client/testing';
import type { ChargeRequest, FollowUpRequest, Gate, InboundRequest, RebillRequest, TransferRequest } from '@app/gateway-adapters/contract';
import type { OrderId } from '@app/kernel';

export type WantedAnswer = 'approved' | 'declined' | 'unknown' | 'payer-needed';
export type WantedFollowUpAnswer = Exclude<WantedAnswer, 'payer-needed'>;

export interface GateNotifications {
  /** The address given with the order; undefined if none was given. Absent if all notifications go to one address. */
  addressOf?(orderId: OrderId): string | undefined;
  /** All authenticated notifications possible now for this request. For an unknown request, they report an approval. */
  about(request: ChargeRequest): readonly InboundRequest[];
  forgedAbout(request: ChargeRequest): readonly InboundRequest[];
}

export interface GateWire {
  readonly peer: Pick<ScriptedPeer, 'answers'>;
  readonly honest: PeerAnswer;
  /** Executes the request without answering. */
  carryOut(request: ReceivedRequest): void;
  charges(orderId: OrderId): number;
  unreachable(): Promise<Gate>;
}

export interface GateUnderContract {
  readonly gate: Gate;
  /** A request that gets the wanted answer: each call makes a new attempt of a new order, in a currency of the gate. */
  request(wanted: WantedAnswer): ChargeRequest;
  /** A follow-up with a new key that gets the wanted answer, in the original's currency and for less than half of its amount. */
  followUp(original: ChargeRequest, wanted: WantedFollowUpAnswer): FollowUpRequest;
  transfer(wanted: WantedAnswer): TransferRequest;
  rebill?(by: RebillRequest['by'], operation?: RebillRequest['transactionType']): RebillRequest;
  readonly payer: { readonly passes: ReadonlyMap<string, string>; readonly fails: ReadonlyMap<string, string> };
  authenticateAtGate?(request: ChargeRequest, outcome: 'passes' | 'fails'): Promise<void>;
  settle(): Promise<void>;
  approvedCharges(orderId: OrderId): number;
  /** The sums that the acquirer returned (or released) and captured for the order, in minor units. */
  moved(orderId: OrderId): { readonly returned: bigint; readonly captured: bigint; readonly isVoided: boolean };
  readonly notifications?: GateNotifications;
  readonly wire?: GateWire;
  inAnotherProcess(): Promise<Gate>;
  /** All files written by the adapter and the stand-in for the acquirer. */
  files(): readonly string[];
  close(): Promise<void>;
}

export type GateOperation = 'authorise' | 'verify' | 'capture' | 'return' | 'void';
export const EVERY_OPERATION: readonly GateOperation[] = ['authorise', 'verify', 'capture', 'return', 'void'];

/** Expected profile of the gate. A trait that is false or missing means that the gate must lack the capability. */
export interface GateTraits {
  /** Whether the gate waits for `complete`, hosts the authentication, or has neither. */
  readonly authentication: 'none' | 'completed' | 'hosted';
  readonly cvvRequired: boolean;
  /** If it captures, it also authorises. */
  readonly operations: readonly GateOperation[];
  /** True if an inquiry finds a follow-up by our key. Otherwise only the sending process can, and any process may repeat it. */
  readonly findsFollowUps: boolean;
  /** False if the gate cannot confirm that it never received a key. */
  readonly tellsNotFound?: boolean;
  readonly transfers: boolean;
  /** When it issues its token for charging registered cards; absent if never. */
  readonly tokens?: 'approval' | 'registration';
  readonly quotes: boolean;
  readonly withdrawsRandomSum: boolean;
  readonly listens: boolean;
  readonly listensAtOneAddress?: boolean;
  /** `elsewhere`: in a separate spec or tested with another gate. */
  readonly wireFaults: 'here' | 'elsewhere' | 'no-wire';
  /** Also answers requests without an outcome, such as checks. */
  readonly answersRequests?: boolean;
}

/** One configuration of an adapter's gates; the contract runs on each. */
export interface ContractedGate {
  readonly title: string;
  readonly traits: GateTraits;
  readonly open: (folder: string) => Promise<GateUnderContract>;
}
