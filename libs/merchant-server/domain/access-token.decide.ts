import { addMs, unreachable, type Decider, type Instant, type NonEmpty } from '@app/kernel';
import type { AccessTokenEvent, Consumer } from './access-token.events';
import { evolve, type AccessToken } from './access-token.state';
import { ACCESS_TOKEN_LIFE_MS, type KeyedDigest } from './terms';

/** Issues a token to a consumer who logged in to the product. */
interface IssueAccessToken {
  readonly type: 'IssueAccessToken';
  readonly data: { readonly consumer?: Consumer; readonly now: Instant };
}

/** A device presents the token. */
export interface UseAccessToken {
  readonly type: 'UseAccessToken';
  readonly data: { readonly serialNumber: KeyedDigest; readonly now: Instant };
}

export type AccessTokenCommand = IssueAccessToken | UseAccessToken;

export type AccessTokenRejection =
  /** The random source gave the same token twice. */
  | { readonly reason: 'token-given-before' }
  /** The token is bound to this device already. */
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
