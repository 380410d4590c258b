import type { Clock, Ids, Instant, Monotonic, Random, Scheduler } from './ports';

/** Only `SystemModule` and the programs' entry points may use these; all others get them injected. */
export const systemClock: Clock = { now: () => Date.now() as Instant };

export const systemMonotonic: Monotonic = { elapsedMs: () => performance.now() };

export const systemIds: Ids = { next: () => crypto.randomUUID() };

const POOL_BYTES = 8_192;
const POOLED_BYTES_MAX = 256;
const pool = new Uint8Array(POOL_BYTES);
let poolUsed = POOL_BYTES;

/** One call of the system source serves many small draws. Used bytes are wiped from the pool. */
const pooledBytes = (size: number): Uint8Array => {
  if (poolUsed + size > POOL_BYTES) {
    crypto.getRandomValues(pool);
    poolUsed = 0;
  }
  const given = pool.slice(poolUsed, poolUsed + size);
  pool.fill(0, poolUsed, poolUsed + size);
  poolUsed += size;
  return given;
};

export const systemRandom: Random = {
  bytes: (size) => (size > POOLED_BYTES_MAX ? crypto.getRandomValues(new Uint8Array(size)) : pooledBytes(size)),
  fraction: () => Math.random(),
};

/** `setTimeout` fires at once beyond 2^31 ms. Longer waits are cut, and the caller checks again. */
const TIMEOUT_MS_MAX = 2_147_483_647;

export const systemScheduler: Scheduler = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), TIMEOUT_MS_MAX));
    return { cancel: () => clearTimeout(timer) };
  },
};
