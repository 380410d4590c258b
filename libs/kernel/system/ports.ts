import type { Brand } from '../brand';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = Brand<number, 'Instant'>;

export interface Clock {
  now(): Instant;
}

/** Time that nobody sets: what has passed is told by the difference of two readings, whatever becomes of the wall clock meanwhile. */
export interface Monotonic {
  /** Milliseconds since some moment of this process; with a fraction. */
  elapsedMs(): number;
}

export interface Ids {
  /** A UUID, never given before. */
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

/** All waiting goes through here, so that a test can own time. */
export interface Scheduler {
  after(delayMs: number, run: () => void): Scheduled;
}

export const addMs = (at: Instant, ms: number): Instant => (at + ms) as Instant;
export const sleep = (scheduler: Scheduler, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    scheduler.after(delayMs, resolve);
  });
