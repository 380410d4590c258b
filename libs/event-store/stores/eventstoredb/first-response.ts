import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { Deadline } from '@app/kernel';
import { assertInTime, deadlinePassed } from '../../core/in-time';
import type { CallError } from './failure';
import { ReadCall } from './read-call';
import type { ReadSettings } from './stream-read';

/**
 * Returns what `pick` makes of the first response for which it returns a value, or undefined where the server ends before.
 * Rejects with the call's error, or with StoreUnavailable where the deadline has passed.
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
