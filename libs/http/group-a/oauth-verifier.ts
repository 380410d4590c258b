import type { Request } from 'express';
import type { Clock, MerchantLogin } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { claimUnique, storeWithin, type EventStore } from '@app/event-store';
import { isOauthSigned, isOauthTimely, parseAuthorization, type Form } from '@app/gateway-protocol';
import type { Merchant } from '@app/configuration';
import { requestEnvelope, type NamedRequest } from '@app/orders';
import type { DecoyKeys } from '../request/decoy-keys';

const NONCE = 'oauthNonce';

export interface OAuthVerifierPorts {
  /** Public scheme, host and port of the service. The Host header is never trusted (protocol decisions, D5.5). */
  readonly publicBaseUrl: string;
  readonly store: EventStore;
  readonly decoyKeys: DecoyKeys;
  readonly digests: ServiceDigests;
  readonly clock: Clock;
}

export interface RequestedEntryPoint {
  readonly id: string;
  /** Undefined if the entry point is unknown; a decoy key then keeps the timing equal (safety, T10). */
  readonly merchant: Merchant | undefined;
}

/** OAuth parameters are accepted in the header only (safety, T8). */
const hasOauthParameter = (form: Form): boolean => {
  for (const [name] of form) if (name.startsWith('oauth_')) return true;
  return false;
};

export class OAuthVerifier {
  constructor(private readonly ports: OAuthVerifierPorts) {}

  /**
   * Verifies signature, time and nonce. A nonce is claimed permanently and only after the signature is verified, so
   * that unauthenticated callers cannot consume it (protocol decisions, D5.5).
   * @throws StoreUnavailable, OutcomeUnknown if the nonce cannot be claimed
   */
  async isAuthentic(request: Request, form: Form, { id, merchant }: RequestedEntryPoint, exchange: NamedRequest): Promise<boolean> {
    const { publicBaseUrl, decoyKeys, clock } = this.ports;
    const [header, ...more] = request.headersDistinct['authorization'] ?? [];
    const authorization = header === undefined || more.length > 0 ? undefined : parseAuthorization(header);
    // A query would have to be signed, and no path of the interface has one.
    if (authorization === undefined || request.url.includes('?') || hasOauthParameter(form)) return false;
    const now = clock.now();
    const login = form.text('login');
    const isOfMerchant = authorization.consumerKey === merchant?.login && (login === '' || login === authorization.consumerKey);
    const key = (isOfMerchant ? merchant.oauthPublicKey : undefined) ?? decoyKeys.oauth(merchant, id);
    const target = { method: request.method, url: publicBaseUrl + request.path, parameters: form };
    const isSigned = isOauthSigned(authorization, target, key);
    if (!isSigned || !isOfMerchant || !isOauthTimely(authorization, now)) return false;
    return this.claimNonce(merchant.login, authorization.nonce, exchange);
  }

  private async claimNonce(merchant: MerchantLogin, nonce: string, exchange: NamedRequest): Promise<boolean> {
    const { store, digests, clock } = this.ports;
    const envelope = requestEnvelope(merchant, exchange, clock.now());
    const nonceKey = digests.onceKey(NONCE, [merchant, nonce]);
    const claim = await claimUnique(storeWithin(store, exchange.deadline), NONCE, nonceKey, exchange.serial, envelope);
    return typeof claim === 'string';
  }
}
