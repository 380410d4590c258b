import { settle, VirtualClock } from '@app/testing';
import { OrderlyStop } from '../orderly-stop';

const never = new Promise<void>(() => undefined);

const stopOver = (drained: { readonly cvvQueue?: Promise<void>; readonly concludeInBackground?: Promise<void> } = {}) => {
  const clock = new VirtualClock();
  const startedAt = clock.now();
  const steps: string[] = [];
  const note = (step: string): void => void steps.push(`${step} at ${clock.now() - startedAt}`);
  const drain = (name: 'cvvQueue' | 'concludeInBackground') => (): Promise<void> => {
    note(name);
    return drained[name] ?? never;
  };
  const stop = new OrderlyStop({
    cvvQueue: { stopWaitingForPeople: () => note('waits for no person'), drained: drain('cvvQueue') },
    concludeInBackground: { drained: drain('concludeInBackground') },
    work: {
      inFlight: 0,
      inFlightMax: 0,
      projections: undefined,
      logProofs: undefined,
      start: () => Promise.resolve(),
      stop: (timeoutMs) => {
        note(`work for ${timeoutMs}`);
        return Promise.resolve();
      },
    },
    monotonic: clock,
    scheduler: clock,
  });
  return { stop, clock, steps };
};

describe('an orderly shutdown (safety, F39)', () => {
  it('waits up to 10 s for orders with a CVV and then 1 s for each remaining drain', async () => {
    const { stop, clock, steps } = stopOver();
    stop.beforeApplicationShutdown();
    const stopped = stop.onApplicationShutdown();
    await clock.advance(60_000);
    await stopped;
    expect(steps).toStrictEqual(['waits for no person at 0', 'cvvQueue at 0', 'concludeInBackground at 10000', 'work for 1000 at 11000']);
  });

  it('counts the time needed to close the ports as part of the 10 s', async () => {
    const { stop, clock, steps } = stopOver({ concludeInBackground: Promise.resolve() });
    stop.beforeApplicationShutdown();
    await clock.advance(4_000);
    const stopped = stop.onApplicationShutdown();
    await clock.advance(60_000);
    await stopped;
    expect(steps.slice(1)).toStrictEqual(['cvvQueue at 4000', 'concludeInBackground at 10000', 'work for 1000 at 10000']);
  });

  it('waits at least one second per drain if a client kept its port open for the full 10 s', async () => {
    const { stop, clock, steps } = stopOver();
    stop.beforeApplicationShutdown();
    await clock.advance(10_000);
    const stopped = stop.onApplicationShutdown();
    await clock.advance(60_000);
    await stopped;
    expect(steps.slice(1)).toStrictEqual(['cvvQueue at 10000', 'concludeInBackground at 11000', 'work for 1000 at 12000']);
  });

  it('waits 10 s from the close of the application if the shutdown was not announced', async () => {
    const { stop, clock, steps } = stopOver();
    await clock.advance(60_000);
    const stopped = stop.onApplicationShutdown();
    await clock.advance(60_000);
    await stopped;
    expect(steps.slice(1)).toStrictEqual(['cvvQueue at 60000', 'concludeInBackground at 70000', 'work for 1000 at 71000']);
  });

  it('ends immediately if no work is in progress', async () => {
    const { stop, clock, steps } = stopOver({ cvvQueue: Promise.resolve(), concludeInBackground: Promise.resolve() });
    stop.beforeApplicationShutdown();
    await stop.onApplicationShutdown();
    await settle();
    expect([steps.at(-1), clock.pending]).toStrictEqual(['work for 10000 at 0', 0]);
  });
});
