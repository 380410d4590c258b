import { AMOUNT_LENGTH_MAX, formatAmount, parseAmount } from '@app/kernel';

/** Maximum length of the amount of a payment request (interface, section 2.4), not counting zeros after its second decimal. */
export const REQUEST_AMOUNT_LENGTH_MAX = 10;
const PADDED = /^\d+\.\d{2}0+$/;
const ZERO_DECIMALS = /\.?0+$/;

/** Removes zeros after the second decimal of an amount; returns any other text unchanged. */
export const unpaddedAmount = (text: string): string =>
  text.length <= AMOUNT_LENGTH_MAX && PADDED.test(text) ? text.slice(0, text.indexOf('.') + 3) : text;

/** The amount of a payment request in minor units; undefined if the field cannot hold it. */
export const parseRequestAmount = (padded: string): bigint | undefined => {
  const text = unpaddedAmount(padded);
  return text.length <= REQUEST_AMOUNT_LENGTH_MAX ? parseAmount(text) : undefined;
};

/** An amount as a request sends it: with two decimals, and without their zeros if the field has no room for them (`15000000`). */
export const formatRequestAmount = (minor: bigint): string => {
  const text = formatAmount(minor);
  return text.length <= REQUEST_AMOUNT_LENGTH_MAX ? text : text.replace(ZERO_DECIMALS, '');
};
