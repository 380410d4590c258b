import { performance } from 'node:perf_hooks';
import type { AttemptKey, GateAlias, Instant, NonEmpty } from '@app/kernel';
import type {
  GateAnswer,
  PlannedGate,
  Processing,
  ProcessingCommand,
  RouteInputs,
  RoutingRule,
  ScreeningInputs,
} from '@app/order-processing/domain';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';
import {
  BLOCKED_ADDRESS_RANGES,
  BLOCKED_BINS,
  BLOCKED_COUNTRIES,
  CASCADE_AMOUNTS,
  CASCADE_GATES,
  ROUTING_BIN_RANGES,
  ROUTING_RULES,
  type DecisionsAsked,
  type DecisionsMade,
} from '../load/decisions';

const { alpha3Of, CARD_BRANDS, COUNTRIES, isRejection, money, WEEKDAYS } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { parseIp } = built<typeof import('@app/configuration')>('libs/configuration/index.js');
const { preparedRules } = built<typeof import('@app/order-processing')>('libs/order-processing/index.js');
const domain = built<typeof import('@app/order-processing/domain')>('libs/order-processing/domain.js');

/** Different orders, decided one after the other: more than a branch predictor can learn. */
const ORDERS = 8_192;
const PER_CARD = 5;
const PER_IP = 10;
const USD = 'USD' as Parameters<typeof money>[1];

/** The same orders in every run: numbers of a linear congruence, far from even but without a pattern in the low bits that are dropped. */
const chance = (() => {
  let state = 20_240_101;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
})();

const countries = [...COUNTRIES];
const blockedCountries = countries.slice(0, BLOCKED_COUNTRIES);
const served = alpha3Of(countries.at(-1) ?? '');

/** Every eighth block is of IPv6; prefixes of six to eight digits. */
const rules = preparedRules({
  minAmountMinor: 100n,
  maxAmountMinor: 10_000_000n,
  blockedBins: Array.from({ length: BLOCKED_BINS }, (_, index) => String(400_000 + index * 97).padEnd(6 + (index % 3), '0')),
  blockedCountries,
  blockedIps: Array.from({ length: BLOCKED_ADDRESS_RANGES }, (_, index) =>
    index % 8 === 0 ? `2001:db8:${index.toString(16)}::/48` : `${20 + (index % 150)}.${index % 256}.${(index * 31) % 256}.0/24`,
  ),
  perCard: { count: PER_CARD, hours: 24 },
  perIp: { count: PER_IP, hours: 1 },
});

/** About one of sixteen orders breaks a rule, and each rule is broken by some. */
const orders: readonly ScreeningInputs[] = Array.from({ length: ORDERS }, () => {
  const isBad = chance(16) === 0;
  const breaks = isBad ? chance(7) : -1;
  const amountMinor = breaks === 0 ? 99n : breaks === 1 ? 10_000_001n : BigInt(100 + chance(5_000_000));
  const amounts = Array.from({ length: 1 + chance(CASCADE_AMOUNTS) }, () => money(amountMinor, USD));
  const blocked = chance(BLOCKED_ADDRESS_RANGES / 8) * 8 + 1;
  const address =
    breaks === 4
      ? `${20 + (blocked % 150)}.${blocked % 256}.${(blocked * 31) % 256}.${chance(256)}`
      : `198.51.${chance(256)}.${chance(256)}`;
  return {
    amounts,
    leadingDigits:
      breaks === 2 ? String(400_000 + chance(BLOCKED_BINS) * 97).padEnd(8, '0') : `51${String(chance(1_000_000)).padStart(6, '0')}`,
    customerCountry: breaks === 3 ? alpha3Of(blockedCountries[chance(BLOCKED_COUNTRIES)] ?? '') : served,
    issuerCountry: served,
    ip: parseIp(address),
    cardCount: breaks === 5 ? PER_CARD : chance(PER_CARD),
    ipCount: breaks === 6 ? PER_IP : chance(PER_IP),
  };
});

const screenings = (decisions: number): DecisionsMade['outcomes'] => {
  const outcomes: Record<string, number> = {};
  for (let decided = 0; decided < decisions; decided++) {
    const inputs = orders[decided % ORDERS];
    if (inputs === undefined) throw new Error('there is no order to screen');
    const broken = domain.screen(rules, inputs) ?? 'passed';
    outcomes[broken] = (outcomes[broken] ?? 0) + 1;
  }
  return outcomes;
};

const ABLE = ['gate-0', 'gate-1', 'gate-2'] as unknown as NonEmpty<GateAlias>;

/** One condition beside the BINs, each kind in turn. */
const conditionOf = (index: number): RoutingRule['when'] => {
  const conditions: readonly RoutingRule['when'][] = [
    { countries: blockedCountries.flatMap((country) => alpha3Of(country) ?? []) },
    { brands: CARD_BRANDS.slice(0, 2) },
    { currencies: [USD] },
    { amountFromMinor: 10_000n, amountToMinor: 4_000_000n },
    { days: WEEKDAYS.slice(0, 4) },
    { from: '08:30', to: '20:00' },
  ];
  return conditions[index % conditions.length] ?? {};
};

const choiceOf = (index: number): RoutingRule['choice'] => {
  const choices: readonly RoutingRule['choice'][] = [
    { kind: 'cascade', gates: ABLE },
    {
      kind: 'split',
      shares: ABLE.map((gate, place) => ({ gate, weight: place + 1 })) as unknown as NonEmpty<{ gate: GateAlias; weight: number }>,
      stickyByCustomer: false,
    },
    { kind: 'least-commission', gates: ABLE },
  ];
  return choices[index % choices.length] ?? { kind: 'cascade', gates: ABLE };
};

/** Of all BINs a tenth lies in a rule's ranges. */
const RANGE_BINS = 500;
const routingRules: readonly RoutingRule[] = Array.from({ length: ROUTING_RULES }, (_, index) => ({
  name: `rule-${index}`,
  when: {
    ...conditionOf(index),
    bins: Array.from({ length: ROUTING_BIN_RANGES }, () => {
      const first = chance(999_999 - RANGE_BINS);
      return `${String(first).padStart(6, '0')}-${String(first + RANGE_BINS).padStart(6, '0')}`;
    }),
  },
  choice: choiceOf(index),
}));

const routed: readonly RouteInputs[] = Array.from({ length: ORDERS }, () => ({
  facts: {
    bin: String(chance(1_000_000)).padStart(6, '0'),
    ...(chance(2) === 0 && { country: alpha3Of(countries[chance(countries.length)] ?? '') ?? '' }),
    brand: CARD_BRANDS[chance(CARD_BRANDS.length)] ?? '',
    amount: money(BigInt(100 + chance(5_000_000)), USD),
    at: (1_767_225_600_000 + chance(604_800_000)) as Instant,
  },
  able: ABLE,
  draws: new Map(ABLE.map((gate) => [gate, chance(2 ** 32)])),
  commissions: new Map(ABLE.map((gate) => [gate, BigInt(chance(1_000))])),
  away: new Set(),
}));

const routings = (decisions: number): DecisionsMade['outcomes'] => {
  const outcomes: Record<string, number> = {};
  for (let decided = 0; decided < decisions; decided++) {
    const inputs = routed[decided % ORDERS];
    if (inputs === undefined) throw new Error('there is no order to route');
    const { rule } = domain.chooseRoute(routingRules, inputs);
    outcomes[rule] = (outcomes[rule] ?? 0) + 1;
  }
  return outcomes;
};

const DECIDED = { screening: screenings, routing: routings } as const;

const ACCEPTED_AT = 1_767_225_600_000 as Instant;
const gates = Array.from({ length: CASCADE_GATES }, (_, index): PlannedGate => ({
  alias: `gate-${index}` as PlannedGate['alias'],
  descriptor: 'ACME*SHOP',
  gateDescriptor: `gate-${index}`,
  partialReversal: true,
  partialCapture: true,
  longestFlightMs: 5_000,
})) as unknown as NonEmpty<PlannedGate>;
const amounts = Array.from({ length: CASCADE_AMOUNTS }, (_, index) => money(BigInt(10_000 - index * 1_000), USD)) as unknown as NonEmpty<
  ReturnType<typeof money>
>;
const accepted = domain.processingOf({
  plan: { operation: 'sale', gates, amounts, payerMs: 900_000, callbacks: ['callback'] },
  amount: amounts[0],
  acceptedAt: ACCEPTED_AT,
});
const declined: GateAnswer = {
  kind: 'declined',
  code: domain.DO_NOT_HONOUR,
  receipt: { transactionId: 'PNTEST-1', processedAt: ACCEPTED_AT, rrn: '000000000001' },
};
const RECEIPT_ID = 'abcdefghijklmnopqrstuvwx';
const keys = Array.from({ length: CASCADE_GATES * CASCADE_AMOUNTS }, (_, index) => `attempt-${index}` as AttemptKey);

const decidedOnto = (state: Processing, command: ProcessingCommand): Processing => {
  const decision = domain.decideProcessing(command, state);
  if (isRejection(decision)) throw new Error(`${command.type} was refused: ${decision.reason}`);
  return decision.reduce(domain.evolveProcessing, state);
};

/** An order that every gate declines for every amount, from its acceptance to its end; each decision is folded, as the next one needs it. */
const cascade = (): Processing => {
  let state = accepted;
  for (const key of keys) {
    const { due } = state;
    if (due === undefined) throw new Error('no attempt is due');
    const now = ACCEPTED_AT;
    const amount = domain.amountOfRouteStep(state, due);
    state = decidedOnto(state, { type: 'StartAttempt', receiptId: RECEIPT_ID, data: { key, gate: due.gate, amount, now } });
    state = decidedOnto(state, { type: 'RecordAnswer', receiptId: RECEIPT_ID, data: { key, answer: declined, now } });
  }
  return state;
};

const cascades = (decisions: number): DecisionsMade['outcomes'] => {
  const outcomes: Record<string, number> = {};
  for (let decided = 0; decided < decisions; decided += 2 * keys.length) {
    const end = cascade().end?.type ?? 'open';
    outcomes[end] = (outcomes[end] ?? 0) + 1;
  }
  return outcomes;
};

/** Pure decisions on one core, without store and clock. */
answerQuestions(({ kind, decisions }: DecisionsAsked): DecisionsMade => {
  const startedAt = performance.now();
  const outcomes = (kind === 'cascade' ? cascades : DECIDED[kind])(decisions);
  return { decisions, elapsedMs: performance.now() - startedAt, outcomes };
});
