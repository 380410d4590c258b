import type { CallLimit } from '@app/gateway-adapters/contract';

/** More time than any call of a test needs. */
export const timeEnough = (): CallLimit => ({
  withinMs: 30_000,
  signal: new AbortController().signal,
  trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
});

/** A call whose time is over before it is made. */
export const timeOver = (): CallLimit => ({ withinMs: 0, signal: AbortSignal.abort() });
