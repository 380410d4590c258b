import { filter, firstValueFrom, map, take, toArray } from 'rxjs';
import { eventually, VirtualClock } from '@app/testing';
import { StoreUnavailable, type StreamName, type SubscriptionItem } from '../core/port';
import { MemoryEventStore } from '../stores/memory';
import { newEvents } from '../testing/new-events';
import { observedLog } from './observed-log';

const STREAM = 'payment-a' as StreamName;

describe('observedLog', () => {
  it('emits existing and new events of its categories', async () => {
    const store = new MemoryEventStore(new VirtualClock());
    await store.append(STREAM, 'no_stream', newEvents('one', 'two'));
    await store.append('transfer-a' as StreamName, 'no_stream', newEvents('more'));
    const seen = firstValueFrom(
      observedLog(store, ['payment'], 'start').pipe(
        filter((item): item is Extract<SubscriptionItem, { kind: 'event' }> => item.kind === 'event'),
        map(({ event }) => `${event.stream} ${event.revision}`),
        take(3),
        toArray(),
      ),
    );
    await store.append('payment-b' as StreamName, 'no_stream', newEvents('more'));
    expect(await seen).toStrictEqual(['payment-a 0', 'payment-a 1', 'payment-b 0']);
  });

  it('opens a subscription for each observer, and ends it when the observer unsubscribes', async () => {
    const store = new MemoryEventStore(new VirtualClock());
    const subscribe = jest.spyOn(store, 'subscribe');
    const log = observedLog(store, 'all', 'start');
    expect(subscribe).not.toHaveBeenCalled();
    const [first, second]: [string[], string[]] = [[], []];
    const leaving = log.subscribe(({ kind }) => first.push(kind));
    const staying = log.subscribe(({ kind }) => second.push(kind));
    await eventually(() => second.includes('caught-up'));
    const before = [...first];
    leaving.unsubscribe();
    await store.append(STREAM, 'no_stream', newEvents('more'));
    await eventually(() => second.includes('event'));
    expect(first).toStrictEqual(before);
    expect(leaving.closed).toBe(true);
    staying.unsubscribe();
    expect(subscribe).toHaveBeenCalledTimes(2);
  });

  it('completes when the subscription ends, and fails when the subscription fails', async () => {
    const store = new MemoryEventStore(new VirtualClock());
    let isComplete = false;
    observedLog(store, 'all', 'start').subscribe({ complete: () => (isComplete = true) });
    await store.close();
    await eventually(() => isComplete);
    expect(isComplete).toBe(true);

    const away = new StoreUnavailable('the log is away');
    const failing = {
      subscribe: () => ({
        cancel: () => Promise.resolve(),
        [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(away) }),
      }),
    };
    await expect(firstValueFrom(observedLog(failing, 'all', 'start'))).rejects.toBe(away);
  });
});
