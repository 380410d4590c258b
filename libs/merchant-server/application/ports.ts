import type { Clock, Ids, Random, EndpointId } from '@app/kernel';
import type { ServiceDigests, TextSealer } from '@app/card-vault';
import type { EventStore } from '@app/event-store';
import type { Product } from '@app/configuration';
import type { InvoiceOrder } from '../domain/invoice';
import type { ClientCardId, InvoiceId } from '../domain/terms';

export interface MerchantServerPorts {
  readonly store: EventStore;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly sealer: TextSealer;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
}

interface OperationToCheck {
  readonly product: Product;
  readonly invoiceId: InvoiceId;
  readonly order: InvoiceOrder;
  readonly email?: string;
  readonly sourceCard?: ClientCardId;
}

export type ProductDecision =
  /** `randomSumCentis`: the sum entered at the product; it takes precedence over one entered at the merchant server. */
  | { readonly kind: 'go-on'; readonly randomSumCentis?: number }
  /** The product rejects this operation: it ends FILTERED. */
  | { readonly kind: 'filtered'; readonly message: string };

/** The product's decision on each operation, requested once, before the answer to the gateway's first check. */
export interface ProductChecks {
  check(operation: OperationToCheck): Promise<ProductDecision>;
}

/** The values covered by session.signature (interface, section 5.3). */
export interface SignedInvoice {
  readonly accessToken: string;
  readonly serialNumber: string;
  readonly endpointId: EndpointId;
  readonly nonce: string;
  readonly invoiceId: InvoiceId;
  readonly order: InvoiceOrder;
}

/** A port, because contexts must not depend on the protocol's signatures. */
export interface InvoiceSignatures {
  sign(product: Product, invoice: SignedInvoice): string;
  /** Compares in constant time. */
  isSigned(product: Product, invoice: SignedInvoice, signature: string): boolean;
}
