import type { GateAlias, Instant, Money } from '@app/kernel';

/**
 * A refused attempt is not the end: which one follows it. The counterpart of the final events, in the same append as the refusal, so that what
 * was chosen is read from the log and not from today's rules (protocol decisions, section 7; architecture, rules 7 and 11).
 */
export type NextAttemptChosen = {
  readonly type: 'NextAttemptChosen';
  readonly data: {
    readonly gate: GateAlias;
    /** From 1, of the plan's amounts. */
    readonly amountNumber: number;
    readonly amount: Money;
    readonly chosenAt: Instant;
  };
};
