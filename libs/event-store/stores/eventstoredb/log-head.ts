import { backOffMs } from '../../runners/back-off';
import { StoreUnavailable, type Position } from '../../core/port';
import { describeFailure, isSetUpWrongly, isWorthRetrying, kindOf, type CallError } from './failure';
import { firstResponse } from './first-response';
import { BEFORE_ALL } from './position';
import { newestRequest } from './read-requests';
import { recordedPosition } from './stored-event';
import { BACK_OFF_MAX_MS, BACK_OFF_MIN_MS, type ReadSettings } from './stream-read';
import { TimeLimit } from './time-limit';

const newest = async (settings: ReadSettings): Promise<Position> => {
  const position = await firstResponse(settings, newestRequest(), (response) => {
    const record = response.getEvent()?.getEvent();
    return record === undefined ? undefined : recordedPosition(record);
  });
  return position ?? BEFORE_ALL;
};

/**
 * Position of the newest event of the whole log, system streams and other services' included: a subscription's checkpoints reach it too, for it
 * makes sure of what lies between (`LogSubscription`).
 * @throws StoreUnavailable in one line that says what is wrong; at once where waiting does not help
 */
export const readHead = async (settings: ReadSettings): Promise<Position> => {
  const { scheduler, server, limitMs } = settings;
  const limit = new TimeLimit(scheduler, limitMs);
  let fault = `event store ${server}: no answer within ${limitMs} ms`;
  try {
    for (let tried = 1; !limit.isOver; tried++) {
      try {
        return await newest(settings);
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        fault = describeFailure(server, error as CallError);
        if (isSetUpWrongly(error as CallError) || !isWorthRetrying(kindOf(error as CallError))) break;
      }
      await limit.pause(backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
    }
    throw new StoreUnavailable(fault);
  } finally {
    limit.clear();
  }
};
