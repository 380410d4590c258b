import type { FollowUp } from '../../merchants/merchant';
import type { Fields } from '../../merchants/signed-requests';

/** The gate's answer (protocol decisions, section 9). */
export type GateRecord = { readonly status: 'approved' } | { readonly status: 'declined'; readonly code: string };

export interface LoadFollowUp {
  readonly operation: FollowUp;
  readonly fields: Fields;
  readonly gateWord: GateRecord;
}

export interface LoadKind {
  readonly name: string;
  readonly operation: 'sale' | 'preauth' | 'rebill';
  readonly at: string;
  readonly fields: Fields;
  readonly hasCvv: boolean;
  /** The payer must authenticate (protocol decisions, section 7). */
  readonly needsPayer: boolean;
  readonly isPayerLate: boolean;
  readonly notifies: 'callback' | 'callback-and-notify' | 'none';
  readonly gateWord: GateRecord;
  /** Requested concurrently. Together they never exceed the available amount. */
  readonly followUps: readonly LoadFollowUp[];
}

const approved: GateRecord = { status: 'approved' };
const declined = (code: string): GateRecord => ({ status: 'declined', code });
const kind = (
  name: string,
  operation: LoadKind['operation'],
  fields: Fields,
  gateWord: GateRecord,
  more: Partial<LoadKind> = {},
): LoadKind => ({
  name,
  operation,
  at: '1001',
  fields,
  hasCvv: fields['cvv2'] !== undefined,
  needsPayer: false,
  isPayerLate: false,
  notifies: 'callback',
  gateWord,
  followUps: [],
  ...more,
});
const followUp = (operation: FollowUp, amount: string | undefined, gateWord: GateRecord = approved): LoadFollowUp => ({
  operation,
  fields: amount === undefined ? {} : { amount, currency: 'USD' },
  gateWord,
});

export const SALE = kind('sale with CVV', 'sale', { cvv2: '123' }, approved);
export const SALE_3DS = kind('sale with 3-D Secure', 'sale', { cvv2: '321' }, approved, { at: '1003', needsPayer: true });
/** Excluded from the load because it stays open while processes die. */
export const SALE_3DS_LEFT_OPEN: LoadKind = { ...SALE_3DS, name: 'sale with 3-D Secure, left open', isPayerLate: true };
export const REBILL = kind('recurrent payment', 'rebill', { amount: '5.50' }, approved);

const DAY_MS = 86_400_000;
/** A payment cleared at midnight can no longer be voided, so a run near midnight has no voids. */
const MIDNIGHT_MARGIN_MS = 900_000;
const isDayOverSoon = (Date.now() + MIDNIGHT_MARGIN_MS) % DAY_MS < MIDNIGHT_MARGIN_MS;
const VOIDED = kind('sale without CVV, voided', 'sale', { cvv2: undefined }, approved, { followUps: [followUp('void', undefined)] });

/**
 * Initial and recurrent payments, with and without CVV, and follow-ups, with every outcome of the simulator (protocol decisions, section
 * 9).
 */
export const LOAD: readonly LoadKind[] = [
  SALE,
  kind('sale, declined', 'sale', { cvv2: '116' }, declined('116'), { notifies: 'callback-and-notify' }),
  kind('sale, unknown and then approved', 'sale', { cvv2: '217' }, approved, { notifies: 'callback-and-notify' }),
  kind('sale, unknown and then declined', 'sale', { cvv2: '218' }, declined('100')),
  SALE_3DS,
  kind('sale without CVV', 'sale', { cvv2: undefined, amount: '10.40' }, approved, { notifies: 'none' }),
  REBILL,
  kind('recurrent payment, declined', 'rebill', { amount: '5.16' }, declined('116')),
  kind('recurrent payment, unknown and then approved', 'rebill', { amount: '5.17' }, approved),
  kind('recurrent payment with CVV', 'rebill', { cvv2: '123' }, approved),
  kind('recurrent payment with CVV, unknown and then approved', 'rebill', { cvv2: '217', currency: 'EUR' }, approved, { at: 'group/2001' }),
  kind('sale, given back in parts', 'sale', { cvv2: '123', amount: '10.00' }, approved, {
    notifies: 'callback-and-notify',
    followUps: [followUp('return', '3.00'), followUp('return', '2.17'), followUp('return', '1.16', declined('116'))],
  }),
  ...(isDayOverSoon ? [] : [VOIDED]),
  kind('pre-authorisation, captured in part', 'preauth', { cvv2: '123' }, approved, {
    notifies: 'callback-and-notify',
    followUps: [followUp('capture', '6.17')],
  }),
  kind('pre-authorisation, cancelled', 'preauth', { cvv2: '123' }, approved, { followUps: [followUp('return', '4.18', declined('100'))] }),
];
