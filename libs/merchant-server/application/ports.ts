import type { Clock, Ids, Random, EndpointId } from '@app/kernel';
import type { ServiceDigests, TextSealer } from '@app/card-vault';
import type { EventStore } from '@app/event-store';
import type { Product } from '@app/configuration';
import type { InvoiceOrder } from '../domain/invoice';
import type { ClientCardId, InvoiceId } from '../domain/terms';

/** The ports of the merchant server's handlers. */
export interface MerchantServerPorts {
  readonly store: EventStore;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly sealer: TextSealer;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
}

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

/** The values that session.signature covers (interface, section 5.3). */
export interface SignedInvoice {
  readonly accessToken: string;
  readonly serialNumber: string;
  readonly endpointId: EndpointId;
  readonly nonce: string;
  readonly invoiceId: InvoiceId;
  readonly order: InvoiceOrder;
}

/** A port, since contexts do not know the protocol's signatures. */
export interface InvoiceSignatures {
  sign(product: Product, invoice: SignedInvoice): string;
  /** Compares in constant time. */
  isSigned(product: Product, invoice: SignedInvoice, signature: string): boolean;
}
