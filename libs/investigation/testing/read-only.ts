import type { EventStore } from '@app/event-store';

const READS: readonly (string | symbol)[] = ['read', 'subscribe', 'head', 'comparePositions'];

/** A log that throws on anything but reads: replaying history must never do more. */
export const readOnly = (store: EventStore): EventStore =>
  new Proxy(store, {
    get: (target, member) => {
      if (!READS.includes(member)) throw new Error(`a replay asked the log to ${String(member)}`);
      const value: unknown = Reflect.get(target, member);
      return typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(target) : value;
    },
  });
