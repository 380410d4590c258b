import type { Request } from 'express';
import type { Clock, MerchantLogin } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import { claimUnique, storeWithin, type EventStore } from '@app/event-store';
import { isOauthSigned, isOauthTimely, parseAuthorization, type Form } from '@app/gateway-protocol';
import type { Merchant } from '@app/configuration';
import { requestEnvelope, type NamedRequest } from '@app/order-processing';
import type { KeysOfUnknownMerchants } from '../../request/unknown-merchants/keys-of-unknown-merchants';

const NONCE = 'oauthNonce';

export interface OAuthVerifierPorts {
  /** Scheme, host and port under which merchants reach the service: never what a Host header says (protocol decisions, section 5). */
  readonly publicBaseUrl: string;
  readonly store: EventStore;
  readonly nobody: KeysOfUnknownMerchants;
  readonly digests: ServiceDigests;
  readonly clock: Clock;
}

/** The entry point of a request: its id in the path, and whose it is. */
export interface EntryPointAsked {
  readonly id: string;
  /** Undefined where there is no such entry point: the same work is done for nothing (safety, T10). */
  readonly merchant: Merchant | undefined;
}

/** Parameters of OAuth stand in the header and nowhere else (safety, T8). */
const hasOauthParameter = (form: Form): boolean => {
  for (const [name] of form) if (name.startsWith('oauth_')) return true;
  return false;
};

/** Who sent a v4 request (interface, section 5.2). */
export class OAuthVerifier {
  constructor(private readonly ports: OAuthVerifierPorts) {}

  /**
   * Whether the merchant of the entry point signed exactly this request, just now, for the first time. A nonce is taken for good, over every instance,
   * and only once the signature fits: nobody else can burn one.
   * @throws StoreUnavailable, OutcomeUnknown where the nonce can not be taken
   */
  async isAuthentic(request: Request, form: Form, { id, merchant }: EntryPointAsked, asked: NamedRequest): Promise<boolean> {
    const { publicBaseUrl, nobody, clock } = this.ports;
    const [header, ...more] = request.headersDistinct['authorization'] ?? [];
    const claim = header === undefined || more.length > 0 ? undefined : parseAuthorization(header);
    // A query would have to be signed too; no path of the interface has one.
    if (claim === undefined || request.url.includes('?') || hasOauthParameter(form)) return false;
    const now = clock.now();
    const login = form.text('login');
    const isMerchants = claim.consumerKey === merchant?.login && (login === '' || login === claim.consumerKey);
    const key = (isMerchants ? merchant.oauthPublicKey : undefined) ?? nobody.oauth(merchant, id);
    const target = { method: request.method, url: publicBaseUrl + request.path, parameters: form };
    const isSigned = isOauthSigned(claim, target, key);
    if (!isSigned || !isMerchants || !isOauthTimely(claim, now)) return false;
    return this.takeNonce(merchant.login, claim.nonce, asked);
  }

  private async takeNonce(merchant: MerchantLogin, nonce: string, asked: NamedRequest): Promise<boolean> {
    const { store, digests, clock } = this.ports;
    const envelope = requestEnvelope(merchant, asked, clock.now());
    const nonceKey = digests.onceKey(NONCE, [merchant, nonce]);
    const taken = await claimUnique(storeWithin(store, asked.deadline), NONCE, nonceKey, asked.serial, envelope);
    return typeof taken === 'string';
  }
}
