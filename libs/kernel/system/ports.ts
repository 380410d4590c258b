import type { Brand } from '../values/ids';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = Brand<number, 'Instant'>;

export interface Clock {
  now(): Instant;
}

/** Use it for durations: the wall clock may be set. */
export interface Monotonic {
  /** Milliseconds with a fraction, since an arbitrary moment. */
  elapsedMs(): number;
}

export interface Ids {
  next(): string;
}

export interface Random {
  bytes(size: number): Uint8Array;
  /** Uniform in [0, 1); for jitter, never for secrets. */
  fraction(): number;
}

export interface Scheduled {
  cancel(): void;
}

/** All waits use this port, so that a test can control time. */
export interface Scheduler {
  after(delayMs: number, run: () => void): Scheduled;
}

export const addMs = (at: Instant, ms: number): Instant => (at + ms) as Instant;
export const sleep = (scheduler: Scheduler, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    scheduler.after(delayMs, resolve);
  });
