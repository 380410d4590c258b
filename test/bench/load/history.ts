/** What the programs of the chapters on history are asked. */
export interface AskAsOf {
  readonly dataDir: string;
  readonly clientOrderIds: readonly string[];
}

export interface AsOfTimes {
  /** Milliseconds of each state as of a moment. */
  readonly timesMs: readonly number[];
  /** Processor time of one, all threads, in the mean: what the clock says beside it is of a machine that has other work. */
  readonly cpuMs: number;
}

export interface AskWhatIf {
  readonly dataDir: string;
}

export interface WhatIfTimed {
  readonly orders: number;
  readonly elapsedMs: number;
  readonly classes: Readonly<Record<string, number>>;
  readonly residentMib: number;
}

export interface AskReplay {
  readonly dataDir: string;
  readonly path: string;
}

export interface ReplayTimed {
  readonly events: number;
  readonly buildMs: number;
  readonly compareMs: number;
  readonly switchMs: number;
  readonly isEqual: boolean;
}

/** A process that serves and projects, and is read by many clients. */
export type AskServing =
  | {
      readonly kind: 'begin';
      readonly dataDir: string;
      readonly path: string;
      readonly clients: number;
      readonly clientOrderIds: readonly string[];
    }
  | { readonly kind: 'end' };

export interface ServingReport {
  readonly reads: number;
  readonly failed: number;
  /** Answers with an older revision of an order than an earlier answer to the same client. */
  readonly backwards: number;
  readonly p99Ms: number;
  readonly appended: number;
  readonly generation: number;
}
