import type { Request } from 'express';
import type { Clock, MerchantLogin } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { claimUnique, storeWithin, type EventStore } from '@app/event-store';
import { isOauthSigned, isOauthTimely, parseAuthorization, type Form } from '@app/gateway-protocol';
import type { Merchant } from '@app/configuration';
import { requestEnvelope, type NamedRequest } from '@app/orders';
import type { KeysOfUnknownMerchants } from '../request/keys-of-unknown-merchants';

const NONCE = 'oauthNonce';

export interface OAuthVerifierPorts {
  /** Scheme, host and port under which merchants reach the service. A Host header is never trusted for it (protocol decisions, D5.5). */
  readonly publicBaseUrl: string;
  readonly store: EventStore;
  readonly decoyKeys: KeysOfUnknownMerchants;
  readonly digests: ServiceDigests;
  readonly clock: Clock;
}

/** The entry point in a request's path, with its merchant. */
export interface RequestedEntryPoint {
  readonly id: string;
  /** Undefined where there is no such entry point; the verification then takes as long under a decoy key (safety, T10). */
  readonly merchant: Merchant | undefined;
}

/** OAuth parameters are accepted in the header only (safety, T8). */
const hasOauthParameter = (form: Form): boolean => {
  for (const [name] of form) if (name.startsWith('oauth_')) return true;
  return false;
};

/** Verifies the signature of a v4 request (interface, section 5.2). */
export class OAuthVerifier {
  constructor(private readonly ports: OAuthVerifierPorts) {}

  /**
   * Whether the merchant of the entry point signed exactly this request, within the time limit and with a new nonce. A nonce is claimed for ever over all
   * instances, and only after the signature was verified, so that an unauthenticated caller cannot use one up (protocol decisions, D5.5).
   * @throws StoreUnavailable, OutcomeUnknown where the nonce cannot be claimed
   */
  async isAuthentic(request: Request, form: Form, { id, merchant }: RequestedEntryPoint, exchange: NamedRequest): Promise<boolean> {
    const { publicBaseUrl, decoyKeys, clock } = this.ports;
    const [header, ...more] = request.headersDistinct['authorization'] ?? [];
    const authorization = header === undefined || more.length > 0 ? undefined : parseAuthorization(header);
    // A query would have to be signed too, and no path of the interface has one.
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
