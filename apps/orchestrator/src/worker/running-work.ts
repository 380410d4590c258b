import type { SubscriptionRunner } from '@app/event-store';
import type { LogProofs } from '@app/investigation';
import { token } from '@app/kernel/injection';

/** Work that a process does without a request: projections and due work. */
export interface RunningWork {
  readonly inFlight: number;
  /** 0 in a process without the role `worker`. */
  readonly inFlightMax: number;
  /** Undefined in a process without the role `worker`. */
  readonly projections: Pick<SubscriptionRunner, 'health'> | undefined;
  /** Undefined in a process without the role `worker`. */
  readonly logProofs: Pick<LogProofs, 'health'> | undefined;
  start(): Promise<void>;
  /** Begins nothing new, and waits so long for the work in progress. */
  stop(timeoutMs: number): Promise<void>;
}

export const NO_WORK: RunningWork = {
  inFlight: 0,
  inFlightMax: 0,
  projections: undefined,
  logProofs: undefined,
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};

export const RUNNING_WORK = token<RunningWork>('RUNNING_WORK');
