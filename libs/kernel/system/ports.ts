import type { Brand } from '../values/ids';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = Brand<number, 'Instant'>;

export interface Clock {
  now(): Instant;
}

/** Monotonic time: the difference of two readings is the time passed, also where the wall clock is set meanwhile. */
export interface Monotonic {
  /** Milliseconds since some moment of this process; with a fraction. */
  elapsedMs(): number;
}

export interface Ids {
  /** A new UUID. */
  next(): string;
}

export interface Random {
  /** From a cryptographic source. */
  bytes(size: number): Uint8Array;
  /** Uniform in [0, 1); for jitter, never for secrets. */
  fraction(): number;
}

export interface Scheduled {
  cancel(): void;
}

/** All waiting uses this port, so that a test can control time. */
export interface Scheduler {
  after(delayMs: number, run: () => void): Scheduled;
}

export const addMs = (at: Instant, ms: number): Instant => (at + ms) as Instant;
export const sleep = (scheduler: Scheduler, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    scheduler.after(delayMs, resolve);
  });
