import { wholeNumber } from '../crash/runs/run-settings';

export const SEED = wholeNumber('FUZZ_SEED', 20_240);
/** Where a run begins: `FUZZ_FIRST=<number> FUZZ_REQUESTS=1` repeats one request. */
export const FIRST = wholeNumber('FUZZ_FIRST', 1);
/** Of resident memory, behind the warm-up. */
export const GROWTH_MIB_MAX = 64;
/** Of a service's log. */
export const ERROR_LEVEL = 50;
