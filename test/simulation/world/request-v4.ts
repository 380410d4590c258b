import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { encodeForm, signedAuthorization } from '@app/gateway-protocol';
import type { Instant } from '@app/kernel';
import { SANDBOX_PRIVATE_KEY_FILE } from '../../support/merchants/oauth-merchant';
import { PUBLIC_ORIGIN } from './network';

export interface SignedV4 {
  readonly operation: 'status' | 'create-card-ref';
  readonly endpointId: string;
  readonly login: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly nonce: string;
  readonly now: Instant;
}

export interface RequestV4 {
  readonly path: string;
  readonly options: { readonly method: 'POST'; readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

const privateKey = createPrivateKey(readFileSync(SANDBOX_PRIVATE_KEY_FILE));

/** A merchant's request of version 4 (interface, section 5.2), signed at the current virtual time. */
export const requestV4 = ({ operation, endpointId, login, fields, nonce, now }: SignedV4): RequestV4 => {
  const path = `/paynet/api/v4/${operation}/${endpointId}`;
  const parameters = fields.map(([name, value]): [string, string] => [name, value]);
  const target = { method: 'POST', url: PUBLIC_ORIGIN + path, parameters };
  const authorization = signedAuthorization(target, { consumerKey: login, privateKey, nonce, now });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization };
  return { path, options: { method: 'POST', headers, body: encodeForm(parameters) } };
};
