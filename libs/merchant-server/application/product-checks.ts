import type { Product } from '@app/configuration';
import type { InvoiceOrder } from '../domain/invoice/invoice.events';
import type { ClientCardId, InvoiceId } from '../domain/terms';

/** An operation that the gateway checks for the first time, and that is the product's own. */
export interface OperationToCheck {
  readonly product: Product;
  readonly invoiceId: InvoiceId;
  readonly order: InvoiceOrder;
  /** The consumer's, where the product told one. */
  readonly email?: string;
  /** The card that pays, where the app named it. */
  readonly sourceCard?: ClientCardId;
}

export type ProductWord =
  /** `randomSumCentis`: what the cardholder told the product; it goes before what was told to the desk itself. */
  | { readonly kind: 'go-on'; readonly randomSumCentis?: number }
  /** The product does not want this operation: it ends FILTERED. */
  | { readonly kind: 'filtered'; readonly message: string };

/** The product's own word on each operation, asked once, before the gateway's first check is answered. */
export interface ProductChecks {
  check(operation: OperationToCheck): Promise<ProductWord>;
}
