import type { Product } from '@app/configuration';
import { runOpeningDecision } from '@app/event-store';
import { accessTokenCodec, accessTokenStream } from '../merchant-server.codec';
import { accessToken, type Consumer } from '../domain/access-token';
import { digestOf, randomText } from './random-text';
import { envelopeOf } from './envelope';
import type { MerchantServerPorts } from './ports';

export interface TokenRequest {
  readonly product: Product;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
}

/** Identified by the product's id, else by e-mail, else only by the device. */
interface KnownConsumer {
  readonly kind: 'known';
  /** The product's id of this person, the same in every request; stored only as a digest. */
  readonly id?: string;
  /** 3 to 128 characters; sent to the gateway in every check of this consumer's operations. */
  readonly email?: string;
}

export type ConsumerAnswer = KnownConsumer | { readonly kind: 'refused' } | { readonly kind: 'malformed'; readonly message: string };

/**
 * Identifies a consumer who requests an access token (protocol decisions, section 8). A product that mounts the merchant server provides
 * one for its login system.
 */
export interface ConsumerAuthentication {
  authenticate(request: TokenRequest): Promise<ConsumerAnswer>;
}

/** Issues an access token to a consumer; only its digest is stored. */
export class IssueAccessTokenHandler {
  constructor(private readonly ports: MerchantServerPorts) {}

  /** @throws StoreUnavailable, OutcomeUnknown */
  async handle(product: Product, known: KnownConsumer): Promise<string> {
    const { store, digests, clock, random } = this.ports;
    const token = randomText(random);
    const consumer = this.consumerOf(product, known);
    const result = await runOpeningDecision({
      store,
      codec: accessTokenCodec,
      decider: accessToken,
      stream: accessTokenStream(product.login, digestOf(digests, 'access token', product.login, token)),
      command: { type: 'IssueAccessToken', data: { now: clock.now(), ...(consumer && { consumer }) } },
      envelope: envelopeOf(this.ports, 'device', product.login),
    });
    if (result.kind === 'rejected') throw new Error(`access token: ${result.rejection.reason}`);
    return token;
  }

  private consumerOf({ login }: Product, { id, email }: KnownConsumer): Consumer | undefined {
    const name = id === undefined ? email?.toLowerCase() : id;
    if (name === undefined) return undefined;
    const { digests, sealer } = this.ports;
    const consumer = digestOf(digests, 'consumer', login, id === undefined ? 'email' : 'id', name);
    return { consumer, ...(email !== undefined && { email: sealer.seal(login, 'email', email) }) };
  }
}
