import type { CallLimit, SentRequest, TakenByGate } from '@app/gateway-adapters/contract';
import type { AttemptKey } from '@app/kernel';

/** More time than any call of a test needs. */
export const timeEnough = (): CallLimit => ({
  withinMs: 30_000,
  signal: new AbortController().signal,
  trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
});

/** A call whose time is over before it is made. */
export const timeOver = (): CallLimit => ({ withinMs: 0, signal: AbortSignal.abort() });

const taken = new Map<AttemptKey, TakenByGate>();

/** As `timeEnough`, for a call that sends something: what the gate gives for further questions is kept, as the log keeps it. */
export const timeEnoughFor = ({ key }: Pick<SentRequest, 'key'>): CallLimit => ({
  ...timeEnough(),
  taken: (given) => {
    taken.set(key, { ...given, ...taken.get(key) });
    return Promise.resolve();
  },
});

/** The request as an inquiry names it, with what the gate gave for it. */
export const withTaken = <Sent extends SentRequest>(sent: Sent): Sent => ({ ...sent, ...taken.get(sent.key) });
