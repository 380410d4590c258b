import { type Instant, type Sealed, unreachable, addMs, type Decider, type NonEmpty } from '@app/kernel';
import { type KeyedDigest, ACCESS_TOKEN_LIFE_MS } from './terms';

/** A consumer known to the product: one person under any token and on any device. */
export type Consumer = {
  readonly consumer: KeyedDigest;
  readonly email?: Sealed;
};

/** A consumer received an access token; its stream's name contains the token's digest. */
export type AccessTokenIssued = {
  readonly type: 'AccessTokenIssued';
  /** Without `consumer` the owner is unknown, and the first device that uses the token counts as the owner. */
  readonly data: { readonly consumer?: Consumer; readonly issuedAt: Instant; readonly expiresAt: Instant };
};

/** The first use of the token, which bound it to that device. */
export type AccessTokenBound = {
  readonly type: 'AccessTokenBound';
  readonly data: { readonly serialNumber: KeyedDigest; readonly boundAt: Instant };
};

export type AccessTokenEvent = AccessTokenIssued | AccessTokenBound;

type Issued = AccessTokenIssued['data'];

type AccessToken =
  | { readonly status: 'none' }
  | (Issued & { readonly status: 'issued' })
  | (Issued & Pick<AccessTokenBound['data'], 'serialNumber'> & { readonly status: 'bound' });

const evolve = (state: AccessToken, event: AccessTokenEvent): AccessToken => {
  switch (event.type) {
    case 'AccessTokenIssued':
      if (state.status !== 'none') throw new Error('AccessTokenIssued twice');
      return { status: 'issued', ...event.data };
    case 'AccessTokenBound':
      if (state.status !== 'issued') throw new Error(`AccessTokenBound to a token that is ${state.status}`);
      return { ...state, status: 'bound', serialNumber: event.data.serialNumber };
    default:
      return unreachable(event);
  }
};

interface IssueAccessToken {
  readonly type: 'IssueAccessToken';
  readonly data: { readonly consumer?: Consumer; readonly now: Instant };
}

export interface UseAccessToken {
  readonly type: 'UseAccessToken';
  readonly data: { readonly serialNumber: KeyedDigest; readonly now: Instant };
}

type AccessTokenCommand = IssueAccessToken | UseAccessToken;

type AccessTokenRejection =
  /** The random source repeated a token. */
  | { readonly reason: 'token-given-before' }
  /** The token is already bound to this device. */
  | { readonly reason: 'nothing-new' }
  | { readonly reason: 'unknown-token' }
  | { readonly reason: 'token-expired' }
  | { readonly reason: 'other-device' };

const issueAccessToken = ({ data }: IssueAccessToken, state: AccessToken): NonEmpty<AccessTokenEvent> | AccessTokenRejection => {
  if (state.status !== 'none') return { reason: 'token-given-before' };
  const { now, ...consumer } = data;
  return [{ type: 'AccessTokenIssued', data: { ...consumer, issuedAt: now, expiresAt: addMs(now, ACCESS_TOKEN_LIFE_MS) } }];
};

const useAccessToken = ({ data }: UseAccessToken, state: AccessToken): NonEmpty<AccessTokenEvent> | AccessTokenRejection => {
  if (state.status === 'none') return { reason: 'unknown-token' };
  if (data.now >= state.expiresAt) return { reason: 'token-expired' };
  if (state.status === 'issued') return [{ type: 'AccessTokenBound', data: { serialNumber: data.serialNumber, boundAt: data.now } }];
  return { reason: state.serialNumber === data.serialNumber ? 'nothing-new' : 'other-device' };
};

export const accessToken: Decider<AccessTokenCommand, AccessTokenEvent, AccessToken, AccessTokenRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: (command, state) => {
    switch (command.type) {
      case 'IssueAccessToken':
        return issueAccessToken(command, state);
      case 'UseAccessToken':
        return useAccessToken(command, state);
      default:
        return unreachable(command);
    }
  },
};
