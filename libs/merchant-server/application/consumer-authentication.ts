import type { Product } from '@app/configuration';

/** A request for an access token, as far as it can say who asks. */
export interface TokenRequest {
  readonly product: Product;
  readonly query: URLSearchParams;
  /** Value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/** Who asks: by the product's own id where it has one, else by e-mail; one who has neither is known by the device alone. */
export interface KnownConsumer {
  readonly kind: 'known';
  /** The product's own, the same whenever this person comes; never stored as it is. */
  readonly id?: string;
  /** 3 to 128 characters; told to the gateway in every check of this consumer's operations. */
  readonly email?: string;
}

export type ConsumerAnswer = KnownConsumer | { readonly kind: 'refused' } | { readonly kind: 'malformed'; readonly message: string };

/**
 * Says who a consumer is, when an app asks for an access token (protocol decisions, section 8). A product that mounts the desk brings its own: it
 * knows its consumers by their login.
 */
export interface ConsumerAuthentication {
  authenticate(request: TokenRequest): Promise<ConsumerAnswer>;
}
