import type { AttemptKey, CardRefId, CardUid, GateAlias, Instant, Money, NonEmpty, Sealed } from '@app/kernel';
import type { OrderCard, ReceivingCard } from './accepted-order';

/** A card that the merchant named by its reference (protocol decisions, section 8). */
export interface ReferredCard<Kept extends ReceivingCard = OrderCard> {
  readonly cardRefId: CardRefId;
  readonly card: Kept;
}

/** Whether the sum that the cardholder reported was the random sum (protocol decisions, section 7). */
export type RandomSumResult = 'AUTHENTICATED' | 'NOT_AUTHENTICATED';

/** The merchant server confirms what the app sent; no gate is asked before (interface, section 4.6). */
export type MerchantChecked = {
  readonly type: 'MerchantChecked';
  readonly data: {
    /** Present where the app gave a reference in place of a card. */
    readonly source?: ReferredCard;
    readonly destination?: ReferredCard<ReceivingCard>;
    /** Sealed again as a whole where the answer filled in what the app left out; it replaces the order's own. */
    readonly customer?: Sealed;
    readonly details?: Sealed;
    /** Absent where nothing was withdrawn from the card, or no sum was reported. */
    readonly randomSum?: RandomSumResult;
    /** Where the consumer chooses and no gate named its commission beforehand: this one asks the consumer itself, and no other is asked. */
    readonly feeAskedBy?: GateAlias;
    readonly checkedAt: Instant;
  };
};

export const CHECK_FAILURES = [
  /** The merchant server filtered the order. */
  'filtered',
  /** It answered with another error, or with something that is no answer. */
  'refused',
  'malformed-answer',
  'wrong-signature',
  /** It contradicts what the app sent, or what was mapped before. */
  'contradiction',
  /** It names a reference that does not exist, or cannot be used in this way. */
  'unknown-card',
  'unreachable',
] as const;
export type CheckFailure = (typeof CHECK_FAILURES)[number];

/** The check fails closed: the order's end is in the same append. */
export type MerchantCheckFailed = {
  readonly type: 'MerchantCheckFailed';
  readonly data: { readonly cause: CheckFailure; readonly failedAt: Instant };
};

export interface FeeOffer {
  readonly gate: GateAlias;
  readonly commission: Money;
}

/** Processing pauses until the consumer has chosen (interface, section 3.2). */
export type FeesOffered = {
  readonly type: 'FeesOffered';
  readonly data: { readonly offers: NonEmpty<FeeOffer>; readonly choiceDueAt: Instant; readonly offeredAt: Instant };
};

/** The one choice among the offers; the order goes on at this gate and no other. */
export type FeeChosen = {
  readonly type: 'FeeChosen';
  readonly data: FeeOffer & { readonly chosenAt: Instant };
};

/** One of the fees among which a gate lets the consumer choose, under the name by which it is chosen. */
export interface GateFee {
  readonly option: string;
  readonly commission: Money;
}

/** The gate has the attempt, and waits for the consumer to choose one of its fees. Until then it moves no money. */
export type GateFeesOffered = {
  readonly type: 'GateFeesOffered';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly offers: NonEmpty<GateFee>;
    /** What the gate is told the choice with, sealed. */
    readonly session: Sealed;
    readonly choiceDueAt: Instant;
    readonly offeredAt: Instant;
  };
};

/** The one choice among them, durable before the gate is told; who recorded it tells the gate, at most once. */
export type GateFeeChosen = {
  readonly type: 'GateFeeChosen';
  readonly data: GateFee & { readonly attemptKey: AttemptKey; readonly chosenAt: Instant };
};

/** The gate withheld another commission than the one that the consumer chose: recorded and alarmed, and it changes nothing. */
export type CommissionDiffered = {
  readonly type: 'CommissionDiffered';
  readonly data: { readonly attemptKey: AttemptKey; readonly offered: Money; readonly held: Money; readonly heardAt: Instant };
};

export interface MappedCard {
  readonly cardRefId: CardRefId;
  readonly uid: CardUid;
}

/**
 * The cards of an approved order have references, and the merchant server was notified of them, will be notified later, or takes no notifications
 * (interface, section 4.8).
 */
export type CardsMapped = {
  readonly type: 'CardsMapped';
  readonly data: {
    readonly source: MappedCard;
    readonly destination?: MappedCard;
    readonly isAcknowledged: boolean;
    /** True where the merchant has a server without the notification: nothing was sent, and nothing will be. */
    readonly isNotificationOff?: boolean;
    readonly mappedAt: Instant;
  };
};

/** The events of the device interface, beside those of every order. */
export type DeviceEvent =
  MerchantChecked | MerchantCheckFailed | FeesOffered | FeeChosen | GateFeesOffered | GateFeeChosen | CommissionDiffered | CardsMapped;

/**
 * What comes between the acceptance of an order of the device interface and its gates: the merchant server's check and, where the consumer chooses
 * the rates, the choice (interface, section 3.2; protocol decisions, section 8).
 */
export type DeviceStage =
  | { readonly status: 'unchecked' }
  | { readonly status: 'checked' }
  | { readonly status: 'fee-offered'; readonly offers: NonEmpty<FeeOffer>; readonly choiceDueAt: Instant }
  | { readonly status: 'fee-chosen'; readonly chosen: FeeOffer }
  /** The gate of this attempt asks the consumer itself; the attempt is under way. */
  | {
      readonly status: 'gate-fee-offered';
      readonly attemptKey: AttemptKey;
      readonly offers: NonEmpty<GateFee>;
      readonly session: Sealed;
      readonly choiceDueAt: Instant;
    }
  | {
      readonly status: 'gate-fee-chosen';
      readonly attemptKey: AttemptKey;
      readonly chosen: GateFee;
      readonly session: Sealed;
      readonly chosenAt: Instant;
    };

/** True while the gate waits for the choice, and once it is made: the gate has heard of the attempt. */
export const isAtGateFees = (stage: DeviceStage | undefined): boolean =>
  stage?.status === 'gate-fee-offered' || stage?.status === 'gate-fee-chosen';
