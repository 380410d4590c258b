import type { Tone } from '../../ui/badge';
import { minorMoney } from '../../format';
import { TONES, type EntryRow } from './timeline-rows';

export interface Attempt {
  readonly number: number;
  readonly gate: string;
  readonly amount: string;
  readonly startedAt: string;
  /** Undefined while the gate has it. */
  readonly outcome: { readonly title: string; readonly facts: readonly string[]; readonly tone: Tone } | undefined;
  readonly tookMs: number | undefined;
}

interface StartedData {
  readonly number: number;
  readonly gate: string;
  readonly amount: { readonly minor: string; readonly currency: string };
}

/** An unknown outcome is replaced by the answer that settles it. */
const OUTCOME = /^(Attempt(Approved|Declined|Unknown|NotAsked|Settled)|PayerChallenged)$/;

/** The attempts of an order, from its timeline. A repeated claim of the same number is the same attempt. */
export const attemptsOf = (rows: readonly EntryRow[]): readonly Attempt[] => {
  const attempts = new Map<number, Attempt>();
  let current: number | undefined;
  for (const { entry, words } of rows) {
    if (entry.type === 'AttemptStarted' && entry.data !== null) {
      const { number, gate, amount } = entry.data as StartedData;
      current = number;
      const before = attempts.get(number);
      const startedAt = before?.startedAt ?? entry.at;
      attempts.set(number, {
        number,
        gate,
        amount: minorMoney(amount.minor, amount.currency),
        startedAt,
        outcome: undefined,
        tookMs: undefined,
      });
    } else if (current !== undefined && OUTCOME.test(entry.type)) {
      const attempt = attempts.get(current);
      if (attempt !== undefined)
        attempts.set(current, {
          ...attempt,
          outcome: { title: words.title, facts: words.facts, tone: entry.type === 'AttemptUnknown' ? 'unknown' : TONES[words.tone] },
          tookMs: Date.parse(entry.at) - Date.parse(attempt.startedAt),
        });
    }
  }
  return [...attempts.values()];
};
