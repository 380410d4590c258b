import type { CallLimit, SentRequest, GateOrderReference } from '@app/gateway-adapters/contract';
import type { AttemptKey } from '@app/kernel';

export const timeEnough = (): CallLimit => ({
  withinMs: 30_000,
  signal: new AbortController().signal,
  trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
});

export const timeOver = (): CallLimit => ({ withinMs: 0, signal: AbortSignal.abort() });

const taken = new Map<AttemptKey, GateOrderReference>();

/** Like `timeEnough`, but keeps the data that the gate returns for inquiries, as the log does. */
export const timeEnoughFor = ({ key }: Pick<SentRequest, 'key'>): CallLimit => ({
  ...timeEnough(),
  taken: (given) => {
    taken.set(key, { ...given, ...taken.get(key) });
    return Promise.resolve();
  },
});

export const withTaken = <Sent extends SentRequest>(sent: Sent): Sent => ({ ...sent, ...taken.get(sent.key) });
