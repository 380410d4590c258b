import type { Product } from '@app/configuration';
import type { InvoiceOrder } from '../domain/invoice.events';
import type { ClientCardId, InvoiceId } from '../domain/terms';

/** An operation of the product that the gateway checks for the first time. */
interface OperationToCheck {
  readonly product: Product;
  readonly invoiceId: InvoiceId;
  readonly order: InvoiceOrder;
  /** The consumer's e-mail, where the product has one. */
  readonly email?: string;
  /** The source card, where the app named it. */
  readonly sourceCard?: ClientCardId;
}

export type ProductDecision =
  /** `randomSumCentis`: the sum that the cardholder entered at the product; it takes precedence over one entered at the merchant server. */
  | { readonly kind: 'go-on'; readonly randomSumCentis?: number }
  /** The product rejects this operation: it ends FILTERED. */
  | { readonly kind: 'filtered'; readonly message: string };

/** The product's decision on each operation, asked once, before the gateway's first check is answered. */
export interface ProductChecks {
  check(operation: OperationToCheck): Promise<ProductDecision>;
}
