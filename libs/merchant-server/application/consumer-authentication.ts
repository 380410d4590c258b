import type { Product } from '@app/configuration';

/** The part of a request for an access token that can identify the consumer. */
export interface TokenRequest {
  readonly product: Product;
  readonly query: URLSearchParams;
  /** Value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/** Identifies a consumer by the product's own id where it has one, else by e-mail; without either the device alone identifies the consumer. */
export interface KnownConsumer {
  readonly kind: 'known';
  /** The product's own id, the same for every request of this person; stored as a digest alone. */
  readonly id?: string;
  /** 3 to 128 characters; sent to the gateway in every check of this consumer's operations. */
  readonly email?: string;
}

export type ConsumerAnswer = KnownConsumer | { readonly kind: 'refused' } | { readonly kind: 'malformed'; readonly message: string };

/**
 * Identifies a consumer when an app asks for an access token (protocol decisions, section 8). A product that mounts the merchant server brings its
 * own: it knows its consumers by their login.
 */
export interface ConsumerAuthentication {
  authenticate(request: TokenRequest): Promise<ConsumerAnswer>;
}
