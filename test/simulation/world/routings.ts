/** An order of at most so much goes to the gate that the rule names, and to no other. */
export const SMALL_AMOUNT = '1.00';
const BIN_OF_TEST_CARD = '444433';

/** The routing of an entry point, as its configuration writes it. */
export type Routing = readonly object[];

const splitOf = (gates: readonly string[], stickyByCustomer: boolean): object => ({
  name: 'split',
  when: { bins: [BIN_OF_TEST_CARD] },
  then: { split: gates.map((gate, place) => ({ gate, weight: place + 1 })) },
  stickyByCustomer,
});

const cheapestOf = (gates: readonly string[]): object => ({ name: 'cheapest', when: {}, then: { leastCommission: gates } });

const turnedRoundOf = (gates: readonly string[]): object => ({
  name: 'large',
  when: { amountFrom: '250.00' },
  then: { cascade: gates.toReversed() },
});

/** What the rules of an entry point may be beside that of small amounts, from the gates that it has. */
const OTHERS: readonly ((gates: readonly string[]) => readonly object[])[] = [
  (gates) => [turnedRoundOf(gates), cheapestOf(gates)],
  (gates) => [splitOf(gates, false)],
  (gates) => [splitOf(gates, true)],
  () => [],
];

/** The gate to which small amounts go: the last one of the entry point, which is asked second where no rule holds. */
export const gateOfSmallAmounts = (gates: readonly string[]): string | undefined => gates.at(-1);

export const ROUTINGS: readonly ((gates: readonly string[]) => Routing)[] = OTHERS.map((others) => (gates) => [
  { name: 'small', when: { amountTo: SMALL_AMOUNT }, then: { cascade: gates.slice(-1) } },
  ...others(gates),
]);
