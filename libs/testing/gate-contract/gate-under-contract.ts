import type { PeerAnswer, ReceivedRequest, ScriptedPeer } from '@app/gateway-adapters/client/testing';
import type { ChargeRequest, FollowUpRequest, Gate, InboundRequest, RebillRequest, TransferRequest } from '@app/gateway-adapters/contract';
import type { OrderId } from '@app/kernel';

/** The answers that a gate under contract must be able to give to a charge. */
export type WantedAnswer = 'approved' | 'declined' | 'unknown' | 'payer-needed';
/** The answers that it must be able to give to a follow-up. */
export type WantedFollowUpAnswer = Exclude<WantedAnswer, 'payer-needed'>;

/** What the acquirer sends to the gate's address by itself. */
export interface GateNotifications {
  /** The address that it was given with the order, in whatever form; undefined where it was given none. Absent where it tells all at one address. */
  addressOf?(orderId: OrderId): string | undefined;
  /**
   * What it would send now about this request, in each way in which it can, with whatever proves that it did; a request that it never had is approved, as
   * far as it says.
   */
  about(request: ChargeRequest): readonly InboundRequest[];
  /** The approval of this request, as somebody would send it who has no key of the acquirer's. */
  forgedAbout(request: ChargeRequest): readonly InboundRequest[];
}

/** The acquirer's end of a gate that is reached over HTTP. */
export interface GateWire {
  readonly peer: Pick<ScriptedPeer, 'answers'>;
  /** Answers as the acquirer does. */
  readonly honest: PeerAnswer;
  /** The acquirer does what it is asked, and nobody is answered. */
  carryOut(request: ReceivedRequest): void;
  /** How often it was asked to charge for the order. */
  charges(orderId: OrderId): number;
  /** The same gate at an address where nobody listens. */
  unreachable(): Promise<Gate>;
}

/** One gate, and what the suite needs to see of the acquirer behind it. */
export interface GateUnderContract {
  readonly gate: Gate;
  /** A request that gets the wanted answer; every call makes a new attempt of a new order, in a currency of the gate. */
  request(wanted: WantedAnswer): ChargeRequest;
  /**
   * A follow-up of this approved transaction, in its currency, for less than half of its amount, that gets the wanted answer; every call has a key of
   * its own.
   */
  followUp(original: ChargeRequest, wanted: WantedFollowUpAnswer): FollowUpRequest;
  /** As `request`, for a transfer between two cards of different numbers. */
  transfer(wanted: WantedAnswer): TransferRequest;
  /** A charge of a registered card that is approved, where the gate can do without its number. */
  rebill?(by: RebillRequest['by'], operation?: RebillRequest['transactionType']): RebillRequest;
  /** The fields that the payer's browser brings back from the authentication page, where the gate waits for them. */
  readonly payer: { readonly passes: ReadonlyMap<string, string>; readonly fails: ReadonlyMap<string, string> };
  /** What the payer does on the gate's own pages, where it hosts the authentication. */
  authenticateAtGate?(request: ChargeRequest, outcome: 'passes' | 'fails'): Promise<void>;
  /** Lets as much time pass as an unknown outcome may take to be known. */
  settle(): Promise<void>;
  /** As the acquirer counts them. */
  approvedCharges(orderId: OrderId): number;
  /** The amounts that the acquirer returned (or released) and captured for the order, in minor units. */
  moved(orderId: OrderId): { readonly returned: bigint; readonly captured: bigint; readonly isVoided: boolean };
  /** Present where the gate listens. */
  readonly notifications?: GateNotifications;
  /** Present where faults of the wire are tested here. */
  readonly wire?: GateWire;
  /** The same gate as another process has it. */
  inAnotherProcess(): Promise<Gate>;
  /** Everything that the adapter and the stand-in for the acquirer have written. */
  files(): readonly string[];
  close(): Promise<void>;
}

/** What a gate may do beside charging and transferring. */
export type GateOperation = 'authorise' | 'verify' | 'capture' | 'return' | 'void';
export const EVERY_OPERATION: readonly GateOperation[] = ['authorise', 'verify', 'capture', 'return', 'void'];

/** The expected profile of the gate; what is false or not named is not tested, and the gate must not have it. */
export interface GateTraits {
  /** Whether the gate waits for `complete`, hosts the payer's authentication, or has none. */
  readonly authentication: 'none' | 'completed' | 'hosted';
  readonly cvvRequired: boolean;
  /** Where it captures, it authorises too. */
  readonly operations: readonly GateOperation[];
  /** An inquiry finds a follow-up by our key; at another gate only the process that sent it can tell, and any may repeat it. */
  readonly findsFollowUps: boolean;
  /** False at a gate that cannot say that it never received a key. */
  readonly tellsNotFound?: boolean;
  readonly transfers: boolean;
  /** Charges registered cards by its own token, which comes with an approval or is given on request; absent where it does not. */
  readonly tokens?: 'approval' | 'registration';
  /** Names its commission for a transfer before it is made. */
  readonly quotes: boolean;
  /** Verifies, and withdraws a random sum with it. */
  readonly withdrawsRandomSum: boolean;
  /** Hears what the acquirer tells by itself. */
  readonly listens: boolean;
  /** It does so at one address for all orders, and no request names one. */
  readonly listensAtOneAddress?: boolean;
  /** Whether the suite has the faults of the wire; otherwise they are in a spec of their own or tested with another gate, or there is no wire. */
  readonly wireFaults: 'here' | 'elsewhere' | 'no-wire';
  /** Listens to requests of the acquirer that tell no outcome, as a check of ours. */
  readonly answersRequests?: boolean;
}

/** One way in which an adapter's gates can be: the contract is run on each. */
export interface ContractedGate {
  readonly title: string;
  readonly traits: GateTraits;
  /** @param folder empty, for whatever it writes */
  readonly open: (folder: string) => Promise<GateUnderContract>;
}
