import { performance } from 'node:perf_hooks';

/** A store's load: so many appends, each by a writer whose last one is stored. */
export interface AppendLoad {
  /** Events, each the first of its stream. */
  readonly count: number;
  /** Appends under way at once; for raw inserts, the rows of a group. */
  readonly writers: number;
  /** Appends made before the clock starts, so that no contender is measured while it is compiled; 0 by default. */
  readonly warmUp?: number;
}

export interface Appends extends AppendLoad {
  readonly folder: string;
}

export interface Timed {
  readonly count: number;
  readonly elapsedMs: number;
  /** Appends that the store refused without a rival, and that were retried. */
  readonly failed?: number;
}

const MS_PER_SECOND = 1_000;

export const rateOf = ({ count, elapsedMs }: Timed): number => (count * MS_PER_SECOND) / elapsedMs;

/** Runs so many writers at once, each acting again as soon as its last act is done. */
export const timed = async (count: number, writers: number, act: (index: number) => Promise<void>): Promise<Timed> => {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await act(index);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: writers }, work));
  return { count, elapsedMs: performance.now() - startedAt };
};

/** Runs the warm-up first, then the rest against the clock. */
export const timedAppends = async <Prepared>(
  { count, writers, warmUp = 0 }: AppendLoad,
  prepared: readonly Prepared[],
  append: (one: Prepared) => Promise<void>,
): Promise<Timed> => {
  const at = async (index: number): Promise<void> => {
    const one = prepared[index];
    if (one === undefined) throw new Error('there is nothing to append');
    await append(one);
  };
  await timed(warmUp, writers, at);
  return timed(count, writers, (index) => at(warmUp + index));
};
