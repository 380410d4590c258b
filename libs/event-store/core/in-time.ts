import type { Deadline } from '@app/kernel';
import { StoreUnavailable } from './port';

/** Thrown by a read whose request was already answered. */
export const deadlinePassed = (): StoreUnavailable => new StoreUnavailable('the time of the request is over');

/** @throws StoreUnavailable */
export const assertInTime = (deadline: Deadline | undefined): void => {
  if (deadline?.isOver === true) throw deadlinePassed();
};
