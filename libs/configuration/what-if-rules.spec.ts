import { configurationFrom } from './load-configuration';
import { ConfigurationFault } from './reading/fault';
import { whatIfRulesFrom } from './what-if-rules';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';

const gate = (alias: string, currencies: readonly string[]) => ({ alias, adapter: 'simulator', currencies });
const { accounts } = configurationFrom(
  JSON.stringify({
    publicBaseUrl: 'http://127.0.0.1:8080',
    merchants: [
      {
        login: 'acme',
        controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
        endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a', 'sim-b'] }],
      },
    ],
    gates: [gate('sim-a', ['USD']), gate('sim-b', ['USD']), gate('sim-c', ['USD', 'EUR']), gate('sim-eur', ['EUR'])],
  }),
  { source: 'base', folder: '.', environment: {}, adapters: GATE_ADAPTERS },
);

const rulesOf = (endpoint: object, environment = {}) =>
  whatIfRulesFrom(
    JSON.stringify({ merchants: [{ login: 'acme', endpoints: [{ id: '1001', ...endpoint }] }] }),
    'rules',
    environment,
    accounts,
  );

const faultsOf = (text: string): readonly (readonly [string, string])[] => {
  try {
    whatIfRulesFrom(text, 'rules', {}, accounts);
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults.map(({ path, problem }) => [path, problem]);
    throw error;
  }
  throw new Error('it has no fault');
};
const faultsOfEndpoint = (endpoint: object) =>
  faultsOf(JSON.stringify({ merchants: [{ login: 'acme', endpoints: [{ id: '1001', ...endpoint }] }] }));
const AT = 'merchants[0].endpoints[0]';

describe('what-if rules', () => {
  it('are parsed like the sections of a configuration, with the same defaults', () => {
    const routing = [{ name: 'small', when: { amountTo: '10.00' }, then: { cascade: ['sim-c'] } }];
    expect(rulesOf({ gates: ['sim-c', 'sim-a'], screening: { maxAmount: '50.00' }, routing })).toStrictEqual([
      {
        merchant: 'acme',
        endpoint: '1001',
        gates: ['sim-c', 'sim-a'],
        screening: expect.objectContaining({ maxAmountMinor: 5_000n, perCard: { count: 0, hours: 24 }, blockedBins: [] }),
        routing: [{ name: 'small', when: { amountToMinor: 1_000n }, choice: { kind: 'cascade', gates: ['sim-c'] } }],
      },
    ]);
  });

  it('may remove screening and routing and take a value from the environment', () => {
    expect(rulesOf({ screening: 'none', routing: 'none' })).toStrictEqual([
      { merchant: 'acme', endpoint: '1001', screening: 'none', routing: 'none' },
    ]);
    expect(rulesOf({ screening: { maxAmount: '${MOST}' } }, { MOST: '1.00' })).toMatchObject([{ screening: { maxAmountMinor: 100n } }]);
  });

  it.each([
    [{}, AT, 'must have one of gates, screening and routing'],
    [{ gates: ['sim-x'] }, `${AT}.gates[0]`, 'is not a gate of this configuration'],
    [{ gates: ['sim-a', 'sim-eur'] }, `${AT}.gates[1]`, 'does not serve the currency of the endpoint'],
    [{ screening: { maxAmount: 5 } }, `${AT}.screening.maxAmount`, 'must be an amount in quotes, such as "100.00"'],
    [{ screening: { most: '5.00' } }, `${AT}.screening.most`, 'is not a known key'],
    [{ screening: 'off' }, `${AT}.screening`, 'must be a mapping'],
    [
      { routing: [{ name: 'a', then: { cascade: ['sim-c'] } }] },
      `${AT}.routing[0].then`,
      'names a gate that is not among the gates of the endpoint',
    ],
    [
      { routing: [1, 2].map(() => ({ name: 'a', then: { cascade: ['sim-a'] } })) },
      `${AT}.routing[1].name`,
      'is the name of another rule of this endpoint',
    ],
    [{ routing: [], gates: ['sim-a'] }, `${AT}.routing`, 'must have at least 1'],
    [{ currency: 'USD', gates: ['sim-a'] }, `${AT}.currency`, 'is not a known key'],
  ])('%j has a fault at its path', (endpoint, path, problem) => {
    expect(faultsOfEndpoint(endpoint)).toStrictEqual([[path, problem]]);
  });

  it('must name configured merchants and entry points, each only once', () => {
    const endpoints = [{ id: '1001', gates: ['sim-a'] }];
    expect(faultsOf(JSON.stringify({ merchants: [{ login: 'other', endpoints }] }))).toStrictEqual([
      ['merchants[0].login', 'is not a merchant of this configuration'],
    ]);
    expect(faultsOf(JSON.stringify({ merchants: [{ login: 'acme', endpoints: [...endpoints, ...endpoints] }] }))).toStrictEqual([
      ['merchants[0].endpoints[1].id', 'is the id of another endpoint'],
    ]);
    expect(faultsOf(JSON.stringify({ merchants: [{ login: 'acme', endpoints: [{ id: '9', gates: ['sim-a'] }] }] }))).toStrictEqual([
      ['merchants[0].endpoints[0].id', 'is not an endpoint of this merchant'],
    ]);
    expect(faultsOf('merchants: [')).toHaveLength(1);
  });
});
