import { INVOICE_ID_LENGTH_MAX } from '@app/gateway-protocol';

const CONTROL_CHARACTER = /\p{Cc}/u;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** An invoice id becomes a segment of the merchant server's paths and a part of signed texts (safety, T4 and T18). */
export const isInvoiceId = (text: string): boolean => {
  const isSegment = text !== '' && text.length <= INVOICE_ID_LENGTH_MAX && text !== '.' && text !== '..';
  return isSegment && !CONTROL_CHARACTER.test(text) && !LONE_SURROGATE.test(text);
};
