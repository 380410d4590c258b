/** An order up to this amount uses only the gate of the rule. */
export const SMALL_AMOUNT = '1.00';
const BIN_OF_TEST_CARD = '444433';

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

const OTHERS: readonly ((gates: readonly string[]) => readonly object[])[] = [
  (gates) => [turnedRoundOf(gates), cheapestOf(gates)],
  (gates) => [splitOf(gates, false)],
  (gates) => [splitOf(gates, true)],
  () => [],
];

/** The last gate of the entry point, which is tried second without a rule. */
export const gateOfSmallAmounts = (gates: readonly string[]): string | undefined => gates.at(-1);

export const ROUTINGS: readonly ((gates: readonly string[]) => Routing)[] = OTHERS.map((others) => (gates) => [
  { name: 'small', when: { amountTo: SMALL_AMOUNT }, then: { cascade: gates.slice(-1) } },
  ...others(gates),
]);
