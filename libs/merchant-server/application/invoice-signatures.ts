import type { EndpointId } from '@app/kernel';
import type { Product } from '@app/configuration';
import type { InvoiceId } from '../domain/terms';
import type { InvoiceOrder } from '../domain/invoice.events';

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
