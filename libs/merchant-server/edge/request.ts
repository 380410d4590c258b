import type { Product } from '@app/configuration';

/** One request to the merchant server, read and not yet validated. */
export interface MerchantServerRequest {
  readonly product: Product;
  readonly method: string;
  /** The path's invoiceId, where it has one. */
  readonly invoiceId: string | undefined;
  readonly query: URLSearchParams;
  /** Value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
}
