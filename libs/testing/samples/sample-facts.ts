import { addMs, money, type AttemptKey, type BootId, type Currency, type Instant, type Money } from '@app/kernel';

/** 2024-01-01T00:00:00Z, the start of the virtual clock. */
export const ACCEPTED_AT = 1_704_067_200_000 as Instant;
export const afterAcceptance = (ms: number): Instant => addMs(ACCEPTED_AT, ms);

const USD = 'USD' as Currency;
export const usd = (minor: bigint): Money => money(minor, USD);
export const SAMPLE_AMOUNT = usd(1_042n);

/** `OTHER_KEY` is an attempt that the order does not have, or its second one. */
export const ATTEMPT_KEY = '00000000-0000-4000-8000-0000000000a1' as AttemptKey;
export const OTHER_KEY = '00000000-0000-4000-8000-0000000000a2' as AttemptKey;

/** The process that accepted a sample order with a CVV, for a plan's `cvvHolder`. */
export const BOOT_ID = '00000000-0000-4000-8000-0000000000b0' as BootId;
export const RECEIPT_ID = 'receipt0of0the0sample0ab';
export const RULES_VERSION = 'rules0of0the0sample';
