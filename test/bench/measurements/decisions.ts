import type { Findings } from '../harness/figure';
import { Program } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import {
  BLOCKED_ADDRESS_RANGES,
  BLOCKED_BINS,
  BLOCKED_COUNTRIES,
  CASCADE_AMOUNTS,
  CASCADE_GATES,
  DECISIONS_PER_CASCADE,
  ROUTING_BIN_RANGES,
  ROUTING_RULES,
  type DecisionsAsked,
  type DecisionsMade,
} from '../load/decisions';

const SCREENINGS = 2_000_000;
const ROUTINGS = 1_000_000;
const CASCADE_DECISIONS = 60_000 * DECISIONS_PER_CASCADE;
const TIMEOUT_MS = 120_000;
const MS_PER_SECOND = 1_000;
const AT_LEAST = { kind: 'at-least', asked: 100_000 } as const;

const ROUTED_AT_LEAST = { kind: 'at-least', asked: 200_000 } as const;

const COUNT_OF = { screening: SCREENINGS, routing: ROUTINGS, cascade: CASCADE_DECISIONS } as const;

/** Measures decisions without a store: whether an order passes its entry point's rules, which gates it tries, and where a declined one goes. */
export const decisions = async (): Promise<Findings> => {
  const program = new Program<DecisionsAsked, DecisionsMade>('decisions');
  const rates: Record<DecisionsAsked['kind'], number[]> = { screening: [], routing: [], cascade: [] };
  try {
    for (let round = -1; round < ROUNDS; round++) {
      for (const kind of ['screening', 'routing', 'cascade'] as const) {
        const made = await program.ask({ kind, decisions: COUNT_OF[kind] }, TIMEOUT_MS);
        assertDecided(kind, made);
        if (round >= 0) rates[kind].push((made.decisions * MS_PER_SECOND) / made.elapsedMs);
      }
    }
  } finally {
    await program.stop();
  }
  return {
    figures: [
      { name: 'orders screened', unit: '/s', rounds: rates.screening, bound: AT_LEAST },
      { name: 'orders routed', unit: '/s', rounds: rates.routing, bound: ROUTED_AT_LEAST },
      { name: 'decisions of a cascade', unit: '/s', rounds: rates.cascade, bound: AT_LEAST },
    ],
    notes: [
      `Pure decisions on one core, no store and no clock, after a round that is not counted. Screening: ${BLOCKED_BINS.toLocaleString('en')} blocked BINs of six to eight digits, ${BLOCKED_ADDRESS_RANGES.toLocaleString('en')} blocked ranges of addresses of both families, ${BLOCKED_COUNTRIES} countries, limits of amount, card and address; ${SCREENINGS.toLocaleString('en')} orders a round, of which about one in sixteen breaks a rule, and each rule is broken by some.`,
      `Routing: ${ROUTING_RULES} rules of which each names ${ROUTING_BIN_RANGES} ranges of BINs and one more condition (country, brand, currency, amount, day and time in turn), and chooses by cascade, split or least commission; ${ROUTINGS.toLocaleString('en')} orders a round, of which about half meet the last rule or none, so that all rules are tried.`,
      `Cascade: ${CASCADE_DECISIONS.toLocaleString('en')} decisions a round, of orders that ${CASCADE_GATES} gates decline for each of ${CASCADE_AMOUNTS} amounts: ${DECISIONS_PER_CASCADE} decisions an order (a start and an answer each attempt), and the fold of what each of them decided, as the next one needs it.`,
    ],
  };
};

const RULES_BROKEN = 7;

/** A decision with a wrong outcome must not be measured. */
const assertDecided = (kind: DecisionsAsked['kind'], { decisions: made, outcomes }: DecisionsMade): void => {
  const counts = Object.entries(outcomes);
  const isRight = {
    screening: counts.length === RULES_BROKEN + 1 && (outcomes['passed'] ?? 0) > made * 0.9,
    routing: counts.length === ROUTING_RULES + 1 && (outcomes['default'] ?? 0) > made * 0.3,
    cascade: outcomes['OrderDeclined'] === made / DECISIONS_PER_CASCADE,
  }[kind];
  if (!isRight) throw new Error(`${kind}: ${counts.map(([outcome, count]) => `${outcome} ${count}`).join(', ')}`);
};
