import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { ConfigurationFault } from '../reading/fault';
import { configurationFrom } from '../load-configuration';

const KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const gate = (alias: string) => ({ alias, adapter: 'simulator', currencies: ['USD'] });

const read = (routing: unknown) =>
  configurationFrom(
    JSON.stringify({
      merchants: [{ login: 'acme', controlKey: KEY, endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a', 'sim-b'], routing }] }],
      gates: [gate('sim-a'), gate('sim-b'), gate('sim-c')],
    }),
    { source: 'test', folder: '/', environment: {}, adapters: GATE_ADAPTERS },
  );
const rulesOf = (routing: unknown) => read(routing).accounts.merchants[0].endpoints[0].routing;
const faultsOf = (routing: unknown): readonly string[] => {
  try {
    read(routing);
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults.map(({ path, problem }) => `${path}: ${problem}`);
    throw error;
  }
  throw new Error('nothing was refused');
};
const PATH = 'merchants[0].endpoints[0].routing';
const then = { cascade: ['sim-b'] };

describe('the routing of an entry point', () => {
  it('is undefined if not configured', () => {
    expect(rulesOf(undefined)).toBeUndefined();
  });

  it('is parsed as a list of named rules in order', () => {
    const when = {
      bins: ['444433', '400000-499999'],
      countries: ['US', 'DEU'],
      brands: ['VISA', 'MIR'],
      currencies: ['USD'],
      amountFrom: '10.00',
      amountTo: '99.99',
      from: '22:00',
      to: '06:30',
      days: ['sat', 'sun'],
    };
    const rules = [
      { name: 'first', when, then: { cascade: ['sim-b', 'sim-a'] } },
      { name: 'second', then: { split: [{ gate: 'sim-a', weight: 70 }, { gate: 'sim-b', weight: 30 }] }, stickyByCustomer: true }, // prettier-ignore
      { name: 'third', then: { split: [{ gate: 'sim-a', weight: 1 }] } },
      { name: 'fourth', when: {}, then: { leastCommission: ['sim-a', 'sim-b'] } },
    ];
    const { amountFrom: _from, amountTo: _to, ...others } = when;
    expect(rulesOf(rules)).toStrictEqual([
      {
        name: 'first',
        when: { ...others, countries: ['USA', 'DEU'], amountFromMinor: 1_000n, amountToMinor: 9_999n },
        choice: { kind: 'cascade', gates: ['sim-b', 'sim-a'] },
      },
      {
        name: 'second',
        when: {},
        choice: { kind: 'split', shares: [{ gate: 'sim-a', weight: 70 }, { gate: 'sim-b', weight: 30 }], stickyByCustomer: true }, // prettier-ignore
      },
      { name: 'third', when: {}, choice: { kind: 'split', shares: [{ gate: 'sim-a', weight: 1 }], stickyByCustomer: false } },
      { name: 'fourth', when: {}, choice: { kind: 'least-commission', gates: ['sim-a', 'sim-b'] } },
    ]);
  });

  it.each<[unknown, string]>([
    ['x', ': must be a list'],
    [[], ': must have at least 1'],
    [[{ then }], '[0].name: is required'],
    [[{ name: 'default', then }], '[0].name: must be 1 to 64 characters of a-z, 0-9 and -, and not "default"'],
    [[{ name: 'A rule', then }], '[0].name: must be 1 to 64 characters of a-z, 0-9 and -, and not "default"'],
    [[{ name: 'a' }], '[0].then: is required'],
    [[{ name: 'a', then, also: 1 }], '[0].also: is not a known key'],
    [[{ name: 'a', when: { bin: ['444433'] }, then }], '[0].when.bin: is not a known key'],
    [[{ name: 'a', then: {} }], '[0].then: must have one of cascade, split and leastCommission'],
    [[{ name: 'a', then: { ...then, leastCommission: ['sim-a'] } }], '[0].then: must have one of cascade, split and leastCommission'],
    [[{ name: 'a', then: { ...then, random: ['sim-a'] } }], '[0].then.random: is not a known key'],
    [[{ name: 'a', then: { cascade: [] } }], '[0].then.cascade: must have at least 1'],
    [[{ name: 'a', then: { cascade: ['sim-a', 'sim-a'] } }], '[0].then.cascade[1]: occurs twice in this list'],
    [[{ name: 'a', then: { cascade: ['sim-c'] } }], '[0].then.cascade[0]: is not among the gates of the endpoint'],
    [[{ name: 'a', then: { leastCommission: ['sim-a', 'sim-x'] } }], '[0].then.leastCommission[1]: is not among the gates of the endpoint'],
    [[{ name: 'a', then: { split: [{ gate: 'sim-c', weight: 1 }] } }], '[0].then.split[0].gate: is not among the gates of the endpoint'],
    [[{ name: 'a', then: { split: [{ gate: 'sim-a', weight: 0 }] } }], '[0].then.split[0].weight: must be a whole number from 1 to 10000'],
    [[{ name: 'a', then: { split: [{ gate: 'sim-a', weight: 1 }, { gate: 'sim-a', weight: 2 }] } }], '[0].then.split[1].gate: occurs twice in this list'], // prettier-ignore
    [[{ name: 'a', then, stickyByCustomer: true }], '[0].stickyByCustomer: applies only to split'],
    [
      [
        { name: 'a', then },
        { name: 'a', then },
      ],
      '[1].name: is the name of another rule of this endpoint',
    ],
    [
      [{ name: 'a', when: { bins: ['44443'] }, then }],
      '[0].when.bins[0]: must be six digits in quotes, or a range such as "400000-499999"',
    ],
    [[{ name: 'a', when: { bins: ['499999-400000'] }, then }], '[0].when.bins[0]: must be six digits in quotes, or a range such as "400000-499999"'], // prettier-ignore
    [[{ name: 'a', when: { bins: [] }, then }], '[0].when.bins: must have at least 1'],
    [[{ name: 'a', when: { countries: ['XX'] }, then }], '[0].when.countries[0]: is not an ISO 3166 country'],
    [[{ name: 'a', when: { countries: ['UK'] }, then }], '[0].when.countries[0]: is not an ISO 3166 country: write GB'],
    [[{ name: 'a', when: { countries: ['US', 'USA'] }, then }], '[0].when.countries[1]: occurs twice in this list'],
    [[{ name: 'a', when: { amountFrom: '2', amountTo: '1.99' }, then }], '[0].when.amountTo: must not be less than amountFrom'],
    [[{ name: 'a', when: { from: '8:00' }, then }], '[0].when.from: must be a time of day in UTC and in quotes, such as "08:30"'],
    [[{ name: 'a', when: { from: '24:01' }, then }], '[0].when.from: must be a time of day in UTC and in quotes, such as "08:30"'],
    [[{ name: 'a', when: { from: '08:00', to: '08:00' }, then }], '[0].when.to: must not be the same as from'],
    [[{ name: 'a', when: { days: ['Mon'] }, then }], '[0].when.days[0]: must be one of mon, tue, wed, thu, fri, sat, sun'],
  ])('rejects %j', (routing, fault) => {
    expect(faultsOf(routing)).toStrictEqual([`${PATH}${fault}`]);
  });

  it('rejects more than 100 rules', () => {
    const rules = Array.from({ length: 101 }, (_, index) => ({ name: `r-${index}`, then }));
    expect(faultsOf(rules)).toStrictEqual([`${PATH}: must have at most 100`]);
  });
});
