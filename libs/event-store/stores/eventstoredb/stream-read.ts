import type { Deadline, Scheduler } from '@app/kernel';
import { backOffMs } from '../../core/back-off';
import { assertInTime, deadlinePassed } from '../../core/in-time';
import { StoreUnavailable, type Revision, type StoredEvent, type StreamName } from '../../core/port';
import { BoundedQueue } from './bounded-queue';
import type { CallSlots } from './call-slots';
import { describeFailure, exceptionOf, isWorthRetrying, kindOf, type CallError } from './failure';
import type { OpenCalls } from './open-calls';
import type { Connection } from './raw-client';
import { ReadCall } from './read-call';
import { streamRequest } from './read-requests';
import { storedEvent } from './stored-event';
import { TimeLimit } from './time-limit';

export interface ReadSettings {
  readonly client: Connection;
  readonly slots: CallSlots;
  readonly openCalls: OpenCalls;
  readonly scheduler: Scheduler;
  /** Hosts, for error messages. */
  readonly server: string;
  /** Silence of the server after which an attempt is abandoned. */
  readonly attemptMs: number;
  /** Time limit over consecutive attempts without an event. */
  readonly limitMs: number;
}

/** Maximum of events buffered ahead of the reader. */
const AHEAD_EVENTS_MAX = 500;
const AHEAD_UNITS_MAX = 4 * 1024 * 1024;
export const BACK_OFF_MIN_MS = 10;
export const BACK_OFF_MAX_MS = 250;

const isMissing = (error: CallError): boolean => exceptionOf(error) === 'stream-not-found';

/**
 * Reads a stream from a revision to its end at the leader, and continues over another connection where one breaks. It frees its call slot when the caller
 * stops early or the deadline passes.
 * @throws StoreUnavailable
 */
export async function* readStream(
  settings: ReadSettings,
  stream: StreamName,
  from: Revision,
  deadline?: Deadline,
): AsyncGenerator<StoredEvent, undefined> {
  const { slots, openCalls, scheduler, server, limitMs } = settings;
  openCalls.assertOpen();
  assertInTime(deadline);
  let next: Revision = from;
  let limit: TimeLimit | undefined;
  let underWay: BoundedQueue<StoredEvent> | undefined;
  let fault = `event store ${server}: no answer within ${limitMs} ms`;
  const forgetDeadline = deadline?.whenOver(() => {
    limit?.end();
    underWay?.end(deadlinePassed());
  });
  try {
    for (let tried = 1; limit?.isOver !== true; tried++) {
      limit ??= new TimeLimit(scheduler, limitMs);
      if (!(await slots.take(limit))) break;
      const { queue, call } = beginRead(settings, stream, next);
      let forget: (() => void) | undefined;
      underWay = queue;
      try {
        forget = openCalls.add((closed) => queue.end(closed));
        for (let event = await queue.next(); event !== undefined; event = await queue.next()) {
          limit?.clear();
          limit = undefined;
          tried = 0;
          next = (event.revision + 1n) as Revision;
          yield event;
          assertInTime(deadline);
        }
        return undefined;
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        if (isMissing(error as CallError)) return undefined;
        fault = describeFailure(server, error as CallError);
        if (!isWorthRetrying(kindOf(error as CallError))) break;
      } finally {
        forget?.();
        await call.cancel();
        slots.give();
      }
      limit ??= new TimeLimit(scheduler, limitMs);
      await limit.pause(backOffMs(Math.max(tried, 1), BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
    }
    assertInTime(deadline);
    throw new StoreUnavailable(`${stream}: ${fault}`);
  } finally {
    forgetDeadline?.();
    limit?.clear();
  }
}

/** Begins one call. Its events wait in the queue, which pauses the call while it is full. */
const beginRead = (
  { client, scheduler, attemptMs }: ReadSettings,
  stream: StreamName,
  from: Revision,
): { readonly queue: BoundedQueue<StoredEvent>; readonly call: ReadCall } => {
  const queue = new BoundedQueue<StoredEvent>({
    itemsMax: AHEAD_EVENTS_MAX,
    unitsMax: AHEAD_UNITS_MAX,
    onFull: () => call.pause(),
    onRoom: () => call.resume(),
  });
  const call = new ReadCall({
    client,
    scheduler,
    request: streamRequest(stream, from),
    silenceMs: attemptMs,
    onResponse: (response) => {
      const record = response.getEvent()?.getEvent();
      if (record === undefined) return;
      const event = storedEvent(record);
      queue.push(event, event.data.length + event.metadata.length);
    },
    onEnd: (error) => queue.end(error),
  });
  return { queue, call };
};
