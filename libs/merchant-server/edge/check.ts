import {
  checkSaleSignature,
  CheckSaleRequest,
  checkTransferSignature,
  CheckTransferRequest,
  CheckVerificationRequest,
  checkVerificationSignature,
  readDeviceBody,
  type CheckTransferSigned,
  type ControlKey,
} from '@app/gateway-protocol';
import type { AnswerCheckHandler, AnsweredCheck } from '../application/answer-check.handler';
import type { ClientCardId, MerchantServerOperation, InvoiceId } from '../domain/terms';
import type { InvoiceOrder } from '../domain/invoice';
import { answered, FORBIDDEN, filtered, invalid, type MerchantServerAnswer, type MerchantServerRequest } from './request';

const REQUESTS = { verification: CheckVerificationRequest, sale: CheckSaleRequest, transfer: CheckTransferRequest } as const;

const SIGNATURES: Readonly<Record<MerchantServerOperation, (signed: CheckTransferSigned, key: ControlKey) => string>> = {
  verification: checkVerificationSignature,
  sale: checkSaleSignature,
  transfer: checkTransferSignature,
};

const currencyOf = (order: InvoiceOrder): string => (order.operation === 'verification' ? order.currency : order.amount.currency);

const named = (member: string, serverCardId: string | undefined): object =>
  serverCardId === undefined ? {} : { [member]: { reference: { serverCardId } } };

const cardOf = (funds: { readonly reference?: { readonly clientCardId: string } } | undefined): ClientCardId | undefined =>
  funds?.reference?.clientCardId as ClientCardId | undefined;

const bodyOf = (
  { product }: MerchantServerRequest,
  invoiceId: string,
  operation: MerchantServerOperation,
  { consumer, session }: CheckVerificationRequest,
  answer: AnsweredCheck,
): object => {
  const { nonce, token } = session;
  const { endpointId, email, randomSumCentis, sourceServerCardId, destinationServerCardId } = answer;
  const signed = {
    serialNumber: consumer.device.serialNumber,
    nonce,
    endpointId,
    invoiceId,
    sourceServerCardId,
    destinationServerCardId,
  };
  return {
    invoiceId,
    session: { checkSignature: SIGNATURES[operation](signed, product.controlKey), nonce, token },
    ...(email !== undefined && { consumer: { email } }),
    transaction: { currency: currencyOf(answer.order), ...(randomSumCentis !== undefined && { randomSumCentis }) },
    ...named('sourceOfFunds', sourceServerCardId),
    ...named('destinationOfFunds', destinationServerCardId),
  };
};

export const check = async (
  handler: AnswerCheckHandler,
  operation: MerchantServerOperation,
  request: MerchantServerRequest,
): Promise<MerchantServerAnswer> => {
  const { product, invoiceId = '' } = request;
  const read = readDeviceBody<CheckTransferRequest>(REQUESTS[operation], request.body);
  if ('refused' in read) return invalid(read.refused.message);
  const { consumer, session, sourceOfFunds, destinationOfFunds } = read.ok;
  const { accessToken, nonce, signature, token } = session;
  const result = await handler.handle({
    product,
    operation,
    invoiceId: invoiceId as InvoiceId,
    serialNumber: consumer.device.serialNumber,
    accessToken,
    nonce,
    signature,
    token,
    source: cardOf(sourceOfFunds),
    destination: cardOf(destinationOfFunds),
  });
  switch (result.kind) {
    case 'answered':
      return answered(bodyOf(request, invoiceId, operation, read.ok, result));
    case 'forbidden':
      return FORBIDDEN;
    case 'filtered':
      return filtered(result.message);
  }
};
