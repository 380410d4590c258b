import { addMs, money, type AttemptKey, type BootId, type Currency, type Instant, type Money } from '@app/kernel';

/** When the sample order is accepted: 2024-01-01T00:00:00Z, where the virtual clock starts. */
export const ACCEPTED_AT = 1_704_067_200_000 as Instant;
export const afterAcceptance = (ms: number): Instant => addMs(ACCEPTED_AT, ms);

export const USD = 'USD' as Currency;
export const usd = (minor: bigint): Money => money(minor, USD);
export const SAMPLE_AMOUNT = usd(1_042n);

/** Of the sample attempt; `OTHER_KEY` names an attempt that the order does not have, or its second one. */
export const ATTEMPT_KEY = '00000000-0000-4000-8000-0000000000a1' as AttemptKey;
export const OTHER_KEY = '00000000-0000-4000-8000-0000000000a2' as AttemptKey;

/** The process that took a sample order with a CVV; put into a plan as its `cvvHolder`. */
export const BOOT_ID = '00000000-0000-4000-8000-0000000000b0' as BootId;
/** 24 characters, as a receipt-id has. */
export const RECEIPT_ID = 'receipt0of0the0sample0ab';
/** Of screening rules; put into a plan as its `screening`. */
export const RULES_VERSION = 'rules0of0the0sample';
