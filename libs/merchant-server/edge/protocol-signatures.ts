import { isDeviceSignature, paymentSignature, verificationSignature } from '@app/gateway-protocol';
import type { Product } from '@app/configuration';
import type { InvoiceSignatures, SignedInvoice } from '../application/invoice-signatures';

const signatureOf = ({ controlKey }: Product, { order, ...invoice }: SignedInvoice): string =>
  order.operation === 'verification'
    ? verificationSignature({ ...invoice, currency: order.currency }, controlKey)
    : paymentSignature({ ...invoice, currency: order.amount.currency, amountCentis: Number(order.amount.minor) }, controlKey);

/** Makes session.signature (interface, section 5.3). */
export const protocolSignatures: InvoiceSignatures = {
  sign: signatureOf,
  isSigned: (product, invoice, signature) => isDeviceSignature(signatureOf(product, invoice), signature),
};
