import { addMs, money, type AttemptKey, type BootId, type Currency, type Instant, type Money } from '@app/kernel';

/** The acceptance of the sample order, 2024-01-01T00:00:00Z, which is also where the virtual clock starts. */
export const ACCEPTED_AT = 1_704_067_200_000 as Instant;
export const afterAcceptance = (ms: number): Instant => addMs(ACCEPTED_AT, ms);

const USD = 'USD' as Currency;
export const usd = (minor: bigint): Money => money(minor, USD);
export const SAMPLE_AMOUNT = usd(1_042n);

/** The key of the sample attempt; `OTHER_KEY` names an attempt that the order does not have, or its second one. */
export const ATTEMPT_KEY = '00000000-0000-4000-8000-0000000000a1' as AttemptKey;
export const OTHER_KEY = '00000000-0000-4000-8000-0000000000a2' as AttemptKey;

/** The process that accepted a sample order with a CVV; used as a plan's `cvvHolder`. */
export const BOOT_ID = '00000000-0000-4000-8000-0000000000b0' as BootId;
/** 24 characters, as a receipt-id has. */
export const RECEIPT_ID = 'receipt0of0the0sample0ab';
/** A version of screening rules; used as a plan's `screening`. */
export const RULES_VERSION = 'rules0of0the0sample';
