import { outcomeOf, type ProofStep } from './proof-steps';

interface WithSteps {
  readonly steps: readonly ProofStep[];
}

/** Results of the events of an order so far. Its size does not depend on the number of events. */
export interface OrderCheck<Checked extends WithSteps> {
  readonly done: number;
  readonly failed: number;
  readonly unchecked: number;
  /** The first ones that failed, except those in `latest`. */
  readonly failures: readonly Checked[];
  /** The last ones that were checked. */
  readonly latest: readonly Checked[];
}

export const KEPT_MAX = 100;
export const NOTHING_CHECKED = { done: 0, failed: 0, unchecked: 0, failures: [], latest: [] } as const;

const hasFailed = ({ steps }: WithSteps): boolean => outcomeOf(steps) === 'failed';

export const withChecked = <Checked extends WithSteps>(check: OrderCheck<Checked>, checked: Checked): OrderCheck<Checked> => {
  const { done, failed, unchecked, failures, latest } = check;
  const outcome = outcomeOf(checked.steps);
  const isFull = latest.length === KEPT_MAX;
  return {
    done: done + 1,
    failed: failed + (outcome === 'failed' ? 1 : 0),
    unchecked: unchecked + (outcome === 'unchecked' ? 1 : 0),
    failures: isFull ? [...failures, ...latest.filter(hasFailed)].slice(0, KEPT_MAX) : failures,
    latest: isFull ? [checked] : [...latest, checked],
  };
};
