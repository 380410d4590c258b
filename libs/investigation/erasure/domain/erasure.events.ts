import type { CardHandle, CardRefId, Instant, MerchantLogin, OrderId, Sealed } from '@app/kernel';

/** The order that is meant. */
export interface ErasedOrder {
  readonly orderStream: string;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
}

/** Nothing of the order is erased, neither on request nor by age, until the hold is released. */
export type LegalHoldPlaced = {
  readonly type: 'LegalHoldPlaced';
  /** The reason is sealed under a key of its own, which no erasure destroys. */
  readonly data: ErasedOrder & { readonly reason: Sealed; readonly placedAt: Instant };
};

export type LegalHoldReleased = {
  readonly type: 'LegalHoldReleased';
  readonly data: { readonly reason: Sealed; readonly releasedAt: Instant };
};

export const ERASURE_CAUSES = ['request', 'retention'] as const;
export type ErasureCause = (typeof ERASURE_CAUSES)[number];

/** A card of the order, with every reference that charges it. */
export interface ErasedCard {
  readonly handle: CardHandle;
  readonly references: readonly CardRefId[];
}

/** The intent, durable before anything is destroyed: a process that dies in between leaves it to the next. */
export type ErasureRequested = {
  readonly type: 'ErasureRequested';
  readonly data: ErasedOrder & {
    readonly requestId: string;
    readonly cause: ErasureCause;
    /** A person's; absent for what is erased by age. */
    readonly reason?: Sealed;
    /** Ids of the keys whose texts are erased. */
    readonly texts: readonly string[];
    readonly cards: readonly ErasedCard[];
    readonly requestedAt: Instant;
  };
};

/** All that the request named is destroyed in the vault. */
export type Erased = {
  readonly type: 'Erased';
  readonly data: { readonly requestId: string; readonly erasedAt: Instant };
};

export type ErasureEvent = LegalHoldPlaced | LegalHoldReleased | ErasureRequested | Erased;
