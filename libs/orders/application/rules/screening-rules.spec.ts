import { configurationFrom, parseIp, type Screening } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { usd } from '@app/testing';
import { screen } from '../../domain';
import { namedRules, preparedRules, type NamedRules } from './screening-rules';

const screeningOf = (screening: object): Screening => {
  const endpoint = { id: '1001', currency: 'USD', gates: ['sim-a'], screening };
  const merchant = { login: 'acme', controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20', endpoints: [endpoint] };
  const gates = [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'] }];
  const { accounts } = configurationFrom(JSON.stringify({ merchants: [merchant], gates }), {
    source: 'test',
    folder: '/',
    environment: {},
    adapters: GATE_ADAPTERS,
  });
  const rules = accounts.merchants[0].endpoints[0].screening;
  if (rules === undefined) throw new Error('no rules');
  return rules;
};
const namedOf = (screening: object): NamedRules => {
  const named = namedRules(screeningOf(screening));
  if (named === undefined) throw new Error('nothing is limited');
  return named;
};
const inputs = {
  amounts: [usd(1_042n)],
  leadingDigits: '44445555',
  customerCountry: undefined,
  issuerCountry: undefined,
  ip: undefined,
  cardCount: 0,
  ipCount: 0,
};

describe('the version of screening rules', () => {
  it('does not depend on the order of list entries', () => {
    const one = namedOf({ blockedBins: ['444433', '555555'], blockedIps: ['10.0.0.0/8', '192.0.2.1'] });
    const same = namedOf({ blockedBins: ['555555', '444433'], blockedIps: ['192.0.2.1', '10.0.0.0/8'] });
    expect(same).toStrictEqual(one);
    expect(one.version).toMatch(/^[a-z2-7]{52}$/);
  });

  it.each([
    { blockedBins: ['444434'] },
    { blockedCountries: ['KP'] },
    { blockedIps: ['192.0.2.1'] },
    { minAmount: '0.01' },
    { maxAmount: '0.01' },
    { perCard: { count: 1 } },
    { perCard: { count: 1, hours: 1 } },
    { perIp: { count: 1 } },
  ])('changes with %o', (other) => {
    expect(namedOf(other).version).not.toBe(namedOf({ blockedBins: ['444433'] }).version);
  });

  it('is undefined if nothing is limited or there are no rules', () => {
    expect(namedRules(screeningOf({}))).toBeUndefined();
    expect(namedRules(screeningOf({ minAmount: '0', perIp: { count: 0, hours: 5 } }))).toBeUndefined();
    expect(namedRules(undefined)).toBeUndefined();
  });

  it('is computed once for each rule set', () => {
    const screening = screeningOf({ blockedBins: ['444433'] });
    expect(namedRules(screening)).toBe(namedRules(screening));
  });
});

describe('prepared screening rules', () => {
  const verdictOf = (screening: object, over: object) => screen(preparedRules(namedOf(screening).configured), { ...inputs, ...over });

  it.each(['KP', 'PRK'])('match a country by its two-letter and three-letter code: %s', (blocked) => {
    expect(verdictOf({ blockedCountries: [blocked] }, { customerCountry: 'PRK' })).toBe('blocked-country');
    expect(verdictOf({ blockedCountries: [blocked] }, { customerCountry: 'KOR' })).toBeUndefined();
  });

  it('match a BIN prefix of every length', () => {
    const blocked = { blockedBins: ['444433', '4444555', '44446666', '444477'] };
    for (const leadingDigits of ['44443300', '44445559', '44446666', '44447712']) {
      expect(verdictOf(blocked, { leadingDigits })).toBe('blocked-bin');
    }
    for (const leadingDigits of ['44443400', '44445569', '44446667']) expect(verdictOf(blocked, { leadingDigits })).toBeUndefined();
  });

  it('match an address in overlapping, nested and repeated ranges, also as an IPv4-mapped address', () => {
    const blocked = { blockedIps: ['10.0.0.0/8', '10.1.0.0/16', '10.255.255.255', '192.0.2.1', '2001:db8::/32', '9.255.255.255'] };
    for (const text of ['10.0.0.0', '10.255.255.255', '10.1.2.3', '9.255.255.255', '192.0.2.1', '::ffff:192.0.2.1', '2001:db8::5']) {
      expect(verdictOf(blocked, { ip: parseIp(text) })).toBe('blocked-ip');
    }
    for (const text of ['11.0.0.0', '9.255.255.254', '192.0.2.2', '2001:db9::'])
      expect(verdictOf(blocked, { ip: parseIp(text) })).toBeUndefined();
  });

  it('apply the limits of amounts and counts', () => {
    const limits = { minAmount: '0.10', maxAmount: '10.42', perCard: { count: 2 }, perIp: { count: 3 } };
    expect(verdictOf(limits, {})).toBeUndefined();
    expect(verdictOf(limits, { amounts: [usd(9n)] })).toBe('min-amount');
    expect(verdictOf(limits, { amounts: [usd(1_043n)] })).toBe('max-amount');
    expect(verdictOf(limits, { cardCount: 2 })).toBe('per-card');
    expect(verdictOf(limits, { ipCount: 3 })).toBe('per-ip');
  });

  it('reject an address range that the configuration would reject', () => {
    const { configured } = namedOf({ blockedIps: ['10.0.0.0/8'] });
    expect(() => preparedRules({ ...configured, blockedIps: ['10.0.0.1/8'] })).toThrow('names no range of addresses');
  });
});
