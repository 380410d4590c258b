import { unreachable } from '@app/kernel';
import type { AccessTokenBound, AccessTokenEvent, AccessTokenIssued } from './access-token.events';

type Issued = AccessTokenIssued['data'];

export type AccessToken =
  | { readonly status: 'none' }
  | (Issued & { readonly status: 'issued' })
  | (Issued & Pick<AccessTokenBound['data'], 'serialNumber'> & { readonly status: 'bound' });

export const evolve = (state: AccessToken, event: AccessTokenEvent): AccessToken => {
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
