import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { Deadline } from '@app/kernel';
import { backOffMs } from '../../core/back-off';
import { assertInTime } from '../../core/in-time';
import { StoreUnavailable, type Position } from '../../core/port';
import { describeFailure, isSetUpWrongly, isWorthRetrying, kindOf, type CallError } from './failure';
import { firstResponse } from './first-response';
import { BEFORE_ALL } from './position';
import { newestRequest } from './read-requests';
import { recordedPosition } from './stored-event';
import { BACK_OFF_MAX_MS, BACK_OFF_MIN_MS, type ReadSettings } from './stream-read';
import { TimeLimit } from './time-limit';

const newest = async (settings: ReadSettings, deadline: Deadline | undefined): Promise<Position> => {
  const ofRecord = (response: ReadResp): Position | undefined => {
    const record = response.getEvent()?.getEvent();
    return record === undefined ? undefined : recordedPosition(record);
  };
  const position = await firstResponse(settings, newestRequest(), ofRecord, deadline);
  return position ?? BEFORE_ALL;
};

/**
 * Position of the newest event of the whole log, including system streams and other services' streams. A subscription's checkpoints reach it too, because
 * `LogSubscription` checks the events between.
 * @throws StoreUnavailable with the fault in one line, at once where waiting does not help
 */
export const readHead = async (settings: ReadSettings, deadline?: Deadline): Promise<Position> => {
  const { scheduler, server, limitMs } = settings;
  assertInTime(deadline);
  const limit = new TimeLimit(scheduler, limitMs);
  const forgetDeadline = deadline?.whenOver(() => limit.end());
  let fault = `event store ${server}: no answer within ${limitMs} ms`;
  try {
    for (let tried = 1; !limit.isOver; tried++) {
      try {
        return await newest(settings, deadline);
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        fault = describeFailure(server, error as CallError);
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
