import type { ChargeRequest, FollowUpRequest, Gate, TransferRequest } from '@app/gateway-adapters/contract';
import type { OrderId } from '@app/kernel';

/** What a charge must be able to come to at a gate under contract. */
export type WantedAnswer = 'approved' | 'declined' | 'unknown' | 'payer-needed';
/** And a follow-up. */
export type WantedFollowUpAnswer = Exclude<WantedAnswer, 'payer-needed'>;

/** One gate, and what the suite needs to see of the acquirer behind it. */
export interface GateUnderContract {
  readonly gate: Gate;
  /** Comes to the answer wanted; every call makes a new attempt of a new order, in a currency of the gate. */
  request(wanted: WantedAnswer): ChargeRequest;
  /** Of this approved transaction, in its currency, for less than half of its amount; comes to the answer wanted; every call has a key of its own. */
  followUp(original: ChargeRequest, wanted: WantedFollowUpAnswer): FollowUpRequest;
  /** As `request`; of a transfer between two cards of different numbers. */
  transfer(wanted: WantedAnswer): TransferRequest;
  /** What the payer's browser brings back from the authentication page. */
  readonly payer: { readonly passes: ReadonlyMap<string, string>; readonly fails: ReadonlyMap<string, string> };
  /** Lets as much time pass as an unknown outcome may take to be known. */
  settle(): Promise<void>;
  /** As the acquirer counts them. */
  approvedCharges(orderId: OrderId): number;
  /** What the acquirer gave back of the order (or set free), and what it captured, in minor units. */
  moved(orderId: OrderId): { readonly givenBack: bigint; readonly captured: bigint; readonly isVoided: boolean };
  /** The same gate as another process has it. */
  inAnotherProcess(): Promise<Gate>;
  /** Everything that the adapter and the acquirer's stand-in have written. */
  files(): readonly string[];
  close(): Promise<void>;
}

/** What the gate's profile is expected to say; what is false is not tested. */
export interface GateTraits {
  readonly threeDSecure: boolean;
  readonly cvvRequired: boolean;
  /** Authorises, verifies, captures, returns and voids. */
  readonly followsUp: boolean;
  /** Transfers and quotes. */
  readonly transfers: boolean;
  /** Verifies, and withdraws a random sum with it. */
  readonly withdrawsRandomSum: boolean;
}
