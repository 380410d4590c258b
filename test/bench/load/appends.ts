export interface Appends {
  readonly folder: string;
  /** Events, each the first of its stream. */
  readonly count: number;
  /** Under way at once; of raw inserts, rows of a group. */
  readonly writers: number;
}

export interface Timed {
  readonly count: number;
  readonly elapsedMs: number;
  /** Appends that the store refused though nobody else wrote, and that were tried again. */
  readonly failed?: number;
}

const MS_PER_SECOND = 1_000;

export const rateOf = ({ count, elapsedMs }: Timed): number => (count * MS_PER_SECOND) / elapsedMs;
