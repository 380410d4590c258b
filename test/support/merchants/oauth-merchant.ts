import { createPrivateKey, randomUUID, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeForm, signedAuthorization } from '@app/gateway-protocol';
import type { Instant } from '@app/kernel';
import type { PublicSide } from '../http/http-client';
import { fieldsOf, type Answer } from './merchant';
import type { Fields } from './signed-requests';

const CONFIGURATION = join(__dirname, '..', '..', '..', 'config');
/** The sandbox's key pair, whose private half protects nothing. */
export const SANDBOX_PUBLIC_KEY_FILE = join(CONFIGURATION, 'acme.pub.pem');
export const SANDBOX_PRIVATE_KEY_FILE = join(CONFIGURATION, 'acme.key.pem');
const sandboxPrivateKey = (): KeyObject => createPrivateKey(readFileSync(SANDBOX_PRIVATE_KEY_FILE));

export interface OauthSending {
  readonly at?: string;
  readonly nonce?: string;
  readonly skewMs?: number;
  readonly consumerKey?: string;
  readonly privateKey?: KeyObject;
  readonly signedUrl?: string;
  readonly signedFields?: Fields;
  readonly headers?: Readonly<Record<string, string>>;
}

const pairsOf = (fields: Fields): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));

/** A merchant's integration of version 4 (interface, section 5.2). Every part of the signature can be replaced. */
export class OauthMerchant {
  /**
   * @param publicBaseUrl from the service's configuration, because the signature covers it
   */
  constructor(
    private readonly service: PublicSide,
    private readonly publicBaseUrl: () => string,
    private readonly login = 'acme',
    private readonly privateKey = sandboxPrivateKey(),
  ) {}

  createCardRef(fields: Fields, sending: OauthSending = {}): Promise<Answer> {
    return this.post('create-card-ref', fields, sending);
  }

  status(fields: Fields, sending: OauthSending = {}): Promise<Answer> {
    return this.post('status', fields, sending);
  }

  pathOf(operation: string, at = '1001'): string {
    return `/paynet/api/v4/${operation}/${at}`;
  }

  authorization(operation: string, fields: Fields, sending: OauthSending = {}): string {
    const { at, nonce = randomUUID(), skewMs = 0, consumerKey = this.login, privateKey = this.privateKey } = sending;
    const { signedUrl = this.publicBaseUrl() + this.pathOf(operation, at), signedFields = fields } = sending;
    const now = (Date.now() + skewMs) as Instant;
    return signedAuthorization(
      { method: 'POST', url: signedUrl, parameters: pairsOf(signedFields) },
      { consumerKey, privateKey, nonce, now },
    );
  }

  async post(operation: string, fields: Fields, sending: OauthSending = {}): Promise<Answer> {
    const authorization = this.authorization(operation, fields, sending);
    return this.postSigned(this.pathOf(operation, sending.at), fields, { authorization, ...sending.headers });
  }

  async postSigned(
    path: string,
    fields: Fields,
    headers: Readonly<Record<string, string | string[]>>,
    through = this.service,
  ): Promise<Answer> {
    const answer = await through.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: encodeForm(pairsOf(fields)),
    });
    return { ...answer, fields: fieldsOf(answer) };
  }
}
