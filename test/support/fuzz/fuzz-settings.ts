import { wholeNumber } from '@app/testing';

const ORDINARY_SEED = 20_240;
export const SEED = wholeNumber('FUZZ_SEED', ORDINARY_SEED);
/** Where a run begins: `FUZZ_FIRST=<number> FUZZ_REQUESTS=1` repeats one request. */
export const FIRST = wholeNumber('FUZZ_FIRST', 1);
/** What is reached once and no more, as the void of a preauthorisation that nothing captured before, is known of this run alone. */
export const IS_ORDINARY_RUN = SEED === ORDINARY_SEED && FIRST === 1;
/** Of resident memory, behind the warm-up. */
export const GROWTH_MIB_MAX = 64;
/** Of a service's log. */
export const ERROR_LEVEL = 50;
