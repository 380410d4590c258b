import { formatAmount, money, type Currency } from '@app/kernel';
import { InitiateSaleRequest, InitiateTransferRequest, InitiateVerificationRequest, readDeviceBody } from '@app/gateway-protocol';
import { commissionRange } from '@app/configuration';
import type { OpenInvoiceHandler } from '../application/open-invoice.handler';
import type { InvoiceOrder } from '../domain/invoice.events';
import { answered, FORBIDDEN, invalid, type MerchantServerAnswer } from './answer';
import type { MerchantServerRequest } from './request';

type Message = InitiateVerificationRequest | InitiateSaleRequest | InitiateTransferRequest;

const opened = async (
  handler: OpenInvoiceHandler,
  { product }: MerchantServerRequest,
  { consumer, session }: Message,
  order: InvoiceOrder,
  more: object = {},
): Promise<MerchantServerAnswer> => {
  const result = await handler.handle({
    product,
    accessToken: session.accessToken,
    serialNumber: consumer.device.serialNumber,
    order,
  });
  switch (result.kind) {
    case 'opened': {
      const { endpointId, invoiceId, nonce, signature } = result;
      return answered({ endpointId, invoiceId, session: { nonce, signature }, ...more });
    }
    case 'forbidden':
      return FORBIDDEN;
    case 'currency-not-served':
      return invalid('transaction.currency is not served for this operation');
  }
};

const amountOf = ({ transaction }: InitiateSaleRequest | InitiateTransferRequest) =>
  money(BigInt(transaction.amountCentis), transaction.currency as Currency);

const binsOf = ({ fromBin, toBin }: Pick<InitiateTransferRequest, 'fromBin' | 'toBin'>) => ({
  fromBin: fromBin?.toString(),
  toBin: toBin?.toString(),
});
const isOther = (own: string | undefined, inside: string | undefined): boolean =>
  own !== undefined && inside !== undefined && own !== inside;

/** Interface, section 4.4. */
export const initiateVerification = async (handler: OpenInvoiceHandler, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const message = readDeviceBody(InitiateVerificationRequest, request.body);
  if ('refused' in message) return invalid(message.refused.message);
  const { currency } = message.ok.transaction;
  return opened(handler, request, message.ok, { operation: 'verification', currency: currency as Currency });
};

export const initiateSale = async (handler: OpenInvoiceHandler, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const message = readDeviceBody(InitiateSaleRequest, request.body);
  if ('refused' in message) return invalid(message.refused.message);
  return opened(handler, request, message.ok, { operation: 'sale', amount: amountOf(message.ok) });
};

/** Adds the least and most commission of the transfer where the product has a table (protocol decisions, section 8). */
export const initiateTransfer = async (handler: OpenInvoiceHandler, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const message = readDeviceBody(InitiateTransferRequest, request.body);
  if ('refused' in message) return invalid(message.refused.message);
  const amount = amountOf(message.ok);
  const { transaction, ...body } = message.ok;
  const [own, inside] = [binsOf(body), binsOf(transaction)];
  if (isOther(own.fromBin, inside.fromBin) || isOther(own.toBin, inside.toBin)) {
    return invalid('transaction must not name other BINs than the body');
  }
  const bins = { fromBin: own.fromBin ?? inside.fromBin, toBin: own.toBin ?? inside.toBin };
  const range = commissionRange(request.product, amount.minor, bins);
  const rates = range && { rates: { min: formatAmount(range.min), max: formatAmount(range.max) } };
  return opened(handler, request, message.ok, { operation: 'transfer', amount }, rates);
};
