import type { Instant, Sealed } from '@app/kernel';
import type { KeyedDigest } from './terms';

/** Identifies a consumer whom the product knows: one person under any token and on any device. */
export type Consumer = {
  readonly consumer: KeyedDigest;
  readonly email?: Sealed;
};

/** A consumer was given an access token; its stream is named by the token's digest. */
export type AccessTokenIssued = {
  readonly type: 'AccessTokenIssued';
  /** Without `consumer` the owner is unknown, and the device that uses the token first counts as the owner. */
  readonly data: { readonly consumer?: Consumer; readonly issuedAt: Instant; readonly expiresAt: Instant };
};

/** The token was used for the first time, and belongs to that device from then on. */
export type AccessTokenBound = {
  readonly type: 'AccessTokenBound';
  readonly data: { readonly serialNumber: KeyedDigest; readonly boundAt: Instant };
};

export type AccessTokenEvent = AccessTokenIssued | AccessTokenBound;
