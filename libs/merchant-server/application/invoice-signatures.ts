import type { EndpointId } from '@app/kernel';
import type { Product } from '@app/configuration';
import type { InvoiceId } from '../domain/terms';
import type { InvoiceOrder } from '../domain/invoice/invoice.events';

/** What session.signature covers (interface, section 5.3). */
export interface SignedInvoice {
  readonly accessToken: string;
  readonly serialNumber: string;
  readonly endpointId: EndpointId;
  readonly nonce: string;
  readonly invoiceId: InvoiceId;
  readonly order: InvoiceOrder;
}

/** The protocol's signatures, which contexts do not know. */
export interface InvoiceSignatures {
  sign(product: Product, invoice: SignedInvoice): string;
  /** In constant time. */
  isSigned(product: Product, invoice: SignedInvoice, signature: string): boolean;
}
