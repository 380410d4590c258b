import type { Deadline } from '@app/kernel';
import { StoreUnavailable } from './port';

/** Thrown by a read whose request was answered without it. */
export const timeIsOver = (): StoreUnavailable => new StoreUnavailable('the time of the request is over');

/** @throws StoreUnavailable */
export const assertInTime = (deadline: Deadline | undefined): void => {
  if (deadline?.isOver === true) throw timeIsOver();
};
