import type { PlaceCount } from './known-checkpoints';
import type { LogFinding } from './log-finding';

/** A checkpoint that the log was found to fit. */
export interface FittingCheckpoint {
  readonly size: number;
  readonly root: string;
  readonly madeAt: string | undefined;
  readonly place: string;
}

export interface VerifyLogReport {
  /** False where a stop was requested. */
  readonly isComplete: boolean;
  /** Events in the tree as it is made of the log now, those before `since` included. */
  readonly events: number;
  /** Events that were read and hashed. */
  readonly read: number;
  /** Events of other services on the same server. */
  readonly leftOut: number;
  /** Events in the tree in its files. */
  readonly treeSize: number;
  readonly root: string;
  readonly checkpoints: {
    readonly verified: number;
    readonly ignored: number;
    readonly newest: FittingCheckpoint | undefined;
    /** Events under the largest, whether the log fits it or not. */
    readonly largest: number;
    readonly places: readonly PlaceCount[];
  };
  readonly findings: readonly LogFinding[];
  /** Places that could not be read. */
  readonly unreachable: readonly { readonly place: string; readonly problem: string }[];
}
