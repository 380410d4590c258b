import { INVOICE_ID_LENGTH_MAX } from '@app/gateway-protocol';

const CONTROL_CHARACTER = /\p{Cc}/u;

/** The invoice of a path where it can be one: a segment of the merchant server's paths too, and part of signed texts (safety, T4 and T18). */
export const tellableInvoiceId = (text: string): string | undefined => {
  const isSegment = text !== '' && text.length <= INVOICE_ID_LENGTH_MAX && text !== '.' && text !== '..';
  return isSegment && !CONTROL_CHARACTER.test(text) && !hasLoneSurrogate(text) ? text : undefined;
};

const hasLoneSurrogate = (text: string): boolean => /\p{Surrogate}/u.test(text);
