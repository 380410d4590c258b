import type { GateAlias, Instant, Money } from '@app/kernel';

/**
 * The attempt that follows a refused one. It is the counterpart of the final events and in the same append as the refusal, so that the choice is read
 * from the log and not from today's rules (protocol decisions, section 7; architecture, rules 7 and 11).
 */
export type NextAttemptChosen = {
  readonly type: 'NextAttemptChosen';
  readonly data: {
    readonly gate: GateAlias;
    /** Counts from 1 over the plan's amounts. */
    readonly amountNumber: number;
    readonly amount: Money;
    readonly chosenAt: Instant;
  };
};
