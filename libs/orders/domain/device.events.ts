import type { AttemptKey, CardRefId, CardUid, GateAlias, Instant, Money, NonEmpty, Sealed } from '@app/kernel';
import type { OrderCard, ReceivingCard } from './accepted-order';

export interface ReferredCard<Kept extends ReceivingCard = OrderCard> {
  readonly cardRefId: CardRefId;
  readonly card: Kept;
}

export type RandomSumResult = 'AUTHENTICATED' | 'NOT_AUTHENTICATED';

/** The merchant server confirms what the app sent; no gate is asked before (interface, section 4.6). */
export type MerchantChecked = {
  readonly type: 'MerchantChecked';
  readonly data: {
    readonly source?: ReferredCard;
    readonly destination?: ReferredCard<ReceivingCard>;
    /** Present if the merchant server added missing fields. */
    readonly customer?: Sealed;
    readonly details?: Sealed;
    /** Absent if nothing was withdrawn from the card, or no sum was reported. */
    readonly randomSum?: RandomSumResult;
    /** Set if no gate quoted a commission: this gate asks the consumer itself, and no other gate is asked. */
    readonly feeAskedBy?: GateAlias;
    readonly checkedAt: Instant;
  };
};

export const CHECK_FAILURES = [
  'filtered',
  'refused',
  'malformed-answer',
  'wrong-signature',
  'contradiction',
  /** It names a reference that does not exist or is not usable here. */
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

export type FeesOffered = {
  readonly type: 'FeesOffered';
  readonly data: { readonly offers: NonEmpty<FeeOffer>; readonly choiceDueAt: Instant; readonly offeredAt: Instant };
};

/** The order continues only at this gate. */
export type FeeChosen = {
  readonly type: 'FeeChosen';
  readonly data: FeeOffer & { readonly chosenAt: Instant };
};

/** A gate's fee, under the name by which the consumer chooses it. */
export interface GateFee {
  readonly option: string;
  readonly commission: Money;
}

/** The gate has the attempt and waits for the consumer to choose a fee. Until then it moves no money. */
export type GateFeesOffered = {
  readonly type: 'GateFeesOffered';
  readonly data: {
    readonly attemptKey: AttemptKey;
    readonly offers: NonEmpty<GateFee>;
    readonly session: Sealed;
    readonly choiceDueAt: Instant;
    readonly offeredAt: Instant;
  };
};

/** Durable before it is sent. Only the process that recorded it sends it, at most once. */
export type GateFeeChosen = {
  readonly type: 'GateFeeChosen';
  readonly data: GateFee & { readonly attemptKey: AttemptKey; readonly chosenAt: Instant };
};

/** The gate withheld another commission than the chosen one: recorded and alarmed; it changes nothing. */
export type CommissionDiffered = {
  readonly type: 'CommissionDiffered';
  readonly data: { readonly attemptKey: AttemptKey; readonly offered: Money; readonly held: Money; readonly heardAt: Instant };
};

export interface MappedCard {
  readonly cardRefId: CardRefId;
  readonly uid: CardUid;
}

/** The merchant server was notified, will be notified later, or takes no notifications (interface, section 4.8). */
export type CardsMapped = {
  readonly type: 'CardsMapped';
  readonly data: {
    readonly source: MappedCard;
    readonly destination?: MappedCard;
    readonly isAcknowledged: boolean;
    readonly isNotificationOff?: boolean;
    readonly mappedAt: Instant;
  };
};

export type DeviceEvent =
  MerchantChecked | MerchantCheckFailed | FeesOffered | FeeChosen | GateFeesOffered | GateFeeChosen | CommissionDiffered | CardsMapped;

/** Between acceptance and the gates (interface, section 3.2; protocol decisions, section 8). */
export type DeviceStage =
  | { readonly status: 'unchecked' }
  | { readonly status: 'checked' }
  | { readonly status: 'fee-offered'; readonly offers: NonEmpty<FeeOffer>; readonly choiceDueAt: Instant }
  | { readonly status: 'fee-chosen'; readonly chosen: FeeOffer }
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

/** True from the moment when the gate waits for the choice: it has the attempt. */
export const isAtGateFees = (stage: DeviceStage | undefined): boolean =>
  stage?.status === 'gate-fee-offered' || stage?.status === 'gate-fee-chosen';
