import { whatIfRulesFrom, type Accounts } from '@app/configuration';
import { choiceText, conditionsText, entryPointsOf, rulesFileOf } from './entry-points';

const shares = [{ gate: 'sim-a', weight: 7 }, { gate: 'sim-b', weight: 3 }]; // prettier-ignore
const RULES = [
  {
    name: 'german',
    when: { countries: ['DEU'], bins: ['444433', '400000-499999'] },
    choice: { kind: 'cascade', gates: ['sim-b'] },
  },
  {
    name: 'large',
    when: { amountFromMinor: 10_000n, amountToMinor: 49_950n },
    choice: { kind: 'least-commission', gates: ['sim-a', 'sim-b'] },
  },
  {
    name: 'night',
    when: { from: '22:00', to: '06:00', days: ['sat'], brands: ['VISA'] },
    choice: { kind: 'split', shares, stickyByCustomer: true },
  },
  { name: 'rest', when: {}, choice: { kind: 'cascade', gates: ['sim-a', 'sim-b'] } },
];
const ACME = {
  login: 'acme',
  endpoints: [
    { id: '1001', currency: 'USD', gates: ['sim-a', 'sim-b'], routing: RULES },
    { id: '1002', currency: 'USD', gates: ['sim-a'] },
  ],
};
const accounts = {
  merchant: (login: string) => (login === 'acme' ? ACME : undefined),
  gates: ['sim-a', 'sim-b'].map((alias) => ({ alias, currencies: new Set(['USD']) })),
} as unknown as Pick<Accounts, 'gates' | 'merchant'>;

/** As the port gives it: bigints as texts. */
const recorded: unknown = JSON.parse(
  JSON.stringify({ accounts: { merchants: [ACME] } }, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
);

it('writes the rules of an entry point so that the reader of the configuration gets the same ones', () => {
  const [ruled, plain] = entryPointsOf(recorded);
  if (ruled === undefined || plain === undefined) throw new Error('no entry points');
  expect(whatIfRulesFrom(rulesFileOf(ruled), 'test', {}, accounts)).toEqual([
    { merchant: 'acme', endpoint: '1001', gates: ['sim-a', 'sim-b'], routing: RULES },
  ]);
  expect(whatIfRulesFrom(rulesFileOf(plain), 'test', {}, accounts)).toEqual([{ merchant: 'acme', endpoint: '1002', gates: ['sim-a'] }]);
});

it('says in words when a rule applies, and what it selects', () => {
  const rules = entryPointsOf(recorded)[0]?.rules ?? [];
  expect(rules.map(({ when, choice }) => [conditionsText(when, 'USD').replaceAll('\u00a0', ' '), choiceText(choice)])).toEqual([
    ['BIN 444433, 400000-499999; card of DEU', 'sim-b'],
    ['from 100.00 USD; up to 499.50 USD', 'the least commission of sim-a, sim-b'],
    ['VISA; on sat; 22:00 to 06:00 UTC', 'split sim-a 7, sim-b 3; the same for a customer'],
    ['always', 'sim-a, then sim-b'],
  ]);
});

it('finds no entry points where the record has no copy', () => expect(entryPointsOf(null)).toEqual([]));
