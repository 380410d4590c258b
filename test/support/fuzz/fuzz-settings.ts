import { wholeNumber } from '@app/testing';

const ORDINARY_SEED = 20_240;
export const SEED = wholeNumber('FUZZ_SEED', ORDINARY_SEED);
/** `FUZZ_FIRST=<number> FUZZ_REQUESTS=1` repeats one request. */
export const FIRST = wholeNumber('FUZZ_FIRST', 1);
/** Some outcomes are reached only once, such as the void of an uncaptured preauthorisation, and only in this run. */
export const IS_ORDINARY_RUN = SEED === ORDINARY_SEED && FIRST === 1;
export const GROWTH_MIB_MAX = 64;
export const ERROR_LEVEL = 50;
