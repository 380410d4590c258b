import type { SubscriptionRunner } from '@app/event-store';
import { token } from '@app/injection';

/** What of a process's own accord is under way: projections and what is due. */
export interface RunningWork {
  readonly inFlight: number;
  /** 0 in a process that does no such work. */
  readonly inFlightMax: number;
  /** Undefined in a process that projects nothing. */
  readonly projections: Pick<SubscriptionRunner, 'health'> | undefined;
  start(): Promise<void>;
  /** Begins nothing new; what is under way is waited for as long as given. */
  stop(timeoutMs: number): Promise<void>;
}

export const NO_WORK: RunningWork = {
  inFlight: 0,
  inFlightMax: 0,
  projections: undefined,
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};

export const RUNNING_WORK = token<RunningWork>('RUNNING_WORK');
