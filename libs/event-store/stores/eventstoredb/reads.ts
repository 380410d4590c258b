import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { Deadline, Scheduler } from '@app/kernel';
import { backOffMs } from '../../core/back-off';
import { assertInTime, deadlinePassed } from '../../core/in-time';
import { StoreUnavailable, type Revision, type StoredEvent, type StreamName, type Position } from '../../core/port';
import { BoundedQueue } from './bounded-queue';
import { attemptTimeMs, type CallSlots, type OpenCalls, TimeLimit } from './calls';
import { describeFailure, exceptionOf, isDeadline, isWorthRetrying, kindOf, type CallError, isSetUpWrongly, silence } from './failure';
import type { Connection } from './raw-client';
import { ReadCall } from './read-call';
import { streamRequest, storedEvent, BEFORE_ALL, newestRequest, recordedPosition } from './messages';

export interface ReadSettings {
  readonly client: Connection;
  readonly slots: CallSlots;
  readonly openCalls: OpenCalls;
  readonly scheduler: Scheduler;
  readonly server: string;
  /** The first attempt is abandoned after this time without a response; later ones have more. */
  readonly attemptMs: number;
  /** Time limit over consecutive attempts without an event. */
  readonly limitMs: number;
}

const AHEAD_EVENTS_MAX = 500;
const AHEAD_UNITS_MAX = 4 * 1024 * 1024;
const BACK_OFF_MIN_MS = 10;
const BACK_OFF_MAX_MS = 250;

const isMissing = (error: CallError): boolean => exceptionOf(error) === 'stream-not-found';

/**
 * Reads a stream to its end at the leader, and continues over another connection after a failure. It frees its call slot on an early stop
 * or at the deadline.
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
  let lateInARow = 0;
  let fault = `event store ${server}: no answer within ${limitMs} ms`;
  const forgetDeadline = deadline?.whenOver(() => {
    limit?.end();
    underWay?.end(deadlinePassed());
  });
  try {
    for (let tried = 1; limit?.isOver !== true; tried++) {
      limit ??= new TimeLimit(scheduler, limitMs);
      if (!(await slots.take(limit))) break;
      const { queue, call } = beginRead(settings, stream, next, lateInARow);
      let forget: (() => void) | undefined;
      underWay = queue;
      limit.whenOver(() => queue.end(silence(limitMs)));
      try {
        forget = openCalls.add((closed) => queue.end(closed));
        for (let event = await queue.next(); event !== undefined; event = await queue.next()) {
          limit?.clear();
          limit = undefined;
          tried = 0;
          lateInARow = 0;
          next = (event.revision + 1n) as Revision;
          yield event;
          assertInTime(deadline);
        }
        return undefined;
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        if (isMissing(error as CallError)) return undefined;
        lateInARow = isDeadline(error as CallError) ? lateInARow + 1 : 0;
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

const beginRead = (
  { client, scheduler, attemptMs }: ReadSettings,
  stream: StreamName,
  from: Revision,
  lateInARow: number,
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
    silenceMs: attemptTimeMs(attemptMs, lateInARow),
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

/**
 * The first response for which `pick` returns a value, or undefined if there is none.
 * @throws StoreUnavailable at the deadline, or the call's error
 */
export const firstResponse = <Result>(
  { client, scheduler, openCalls, attemptMs }: ReadSettings,
  request: ReadReq,
  pick: (response: ReadResp) => Result | undefined,
  deadline?: Deadline,
): Promise<Result | undefined> =>
  new Promise((resolve, reject) => {
    assertInTime(deadline);
    const done = (resolveOrReject: () => void): void => {
      forget();
      forgetDeadline?.();
      void call.cancel();
      resolveOrReject();
    };
    const forget = openCalls.add((closed) => done(() => reject(closed)));
    const forgetDeadline = deadline?.whenOver(() => done(() => reject(deadlinePassed())));
    const call = new ReadCall({
      client,
      scheduler,
      request,
      silenceMs: attemptMs,
      onResponse: (response) => {
        const result = pick(response);
        if (result !== undefined) done(() => resolve(result));
      },
      onEnd: (error: CallError | undefined) => done(() => (error === undefined ? resolve(undefined) : reject(error))),
    });
  });

const newest = async (settings: ReadSettings, deadline: Deadline | undefined): Promise<Position> => {
  const ofRecord = (response: ReadResp): Position | undefined => {
    const record = response.getEvent()?.getEvent();
    return record === undefined ? undefined : recordedPosition(record);
  };
  const position = await firstResponse(settings, newestRequest(), ofRecord, deadline);
  return position ?? BEFORE_ALL;
};

/**
 * Position of the newest event, including system streams and other services' streams. Checkpoints of a subscription reach it too.
 * @throws StoreUnavailable with a one-line reason, immediately if waiting does not help
 */
export const readHead = async (settings: ReadSettings, deadline?: Deadline): Promise<Position> => {
  const { scheduler, server, limitMs } = settings;
  assertInTime(deadline);
  const limit = new TimeLimit(scheduler, limitMs);
  const forgetDeadline = deadline?.whenOver(() => limit.end());
  let fault = `event store ${server}: no answer within ${limitMs} ms`;
  let lateInARow = 0;
  try {
    for (let tried = 1; !limit.isOver; tried++) {
      try {
        return await newest(
          { ...settings, attemptMs: Math.min(attemptTimeMs(settings.attemptMs, lateInARow), limit.remainingMs) },
          deadline,
        );
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        // An attempt that the limit cut off says less than the one before.
        if (tried === 1 || !limit.isOver) fault = describeFailure(server, error as CallError);
        lateInARow = isDeadline(error as CallError) ? lateInARow + 1 : 0;
        if (isSetUpWrongly(error as CallError) || !isWorthRetrying(kindOf(error as CallError))) break;
      }
      await limit.pause(backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
    }
    assertInTime(deadline);
    throw new StoreUnavailable(fault);
  } finally {
    forgetDeadline?.();
    limit.clear();
  }
};
