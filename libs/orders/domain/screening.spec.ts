import { usd } from '@app/testing';
import fc from 'fast-check';
import { screen, type ScreeningInputs, type ScreeningRules, SCREENING_RULES, type ScreeningRule } from './screening';

const rulesOf = (rules: Partial<ScreeningRules> = {}): ScreeningRules => ({
  minAmountMinor: 0n,
  maxAmountMinor: undefined,
  blockedBins: new Map(),
  blockedCountries: new Set(),
  blockedIps: [],
  perCardCount: 0,
  perIpCount: 0,
  ...rules,
});
const inputsOf = (inputs: Partial<ScreeningInputs> = {}): ScreeningInputs => ({
  amounts: [usd(1_042n)],
  leadingDigits: '44445555',
  customerCountry: 'USA',
  issuerCountry: 'GBR',
  ip: 100n,
  cardCount: 0,
  ipCount: 0,
  ...inputs,
});

type Row = readonly [
  rule: ScreeningRule,
  rules: Partial<ScreeningRules>,
  breaks: Partial<ScreeningInputs>,
  passes: Partial<ScreeningInputs>,
];
const rows: readonly Row[] = [
  ['min-amount', { minAmountMinor: 100n }, { amounts: [usd(99n)] }, { amounts: [usd(100n)] }],
  ['min-amount', { minAmountMinor: 100n }, { amounts: [usd(500n), usd(99n)] }, { amounts: [] }],
  ['max-amount', { maxAmountMinor: 100n }, { amounts: [usd(101n)] }, { amounts: [usd(100n)] }],
  ['max-amount', { maxAmountMinor: 100n }, { amounts: [usd(1n), usd(101n)] }, { amounts: [] }],
  ['max-amount', { maxAmountMinor: 0n }, { amounts: [usd(1n)] }, { amounts: [] }],
  ['blocked-bin', { blockedBins: new Map([[6, new Set(['444455'])]]) }, { leadingDigits: '44445500' }, { leadingDigits: '44445400' }],
  ['blocked-bin', { blockedBins: new Map([[8, new Set(['44445555'])]]) }, { leadingDigits: '44445555' }, { leadingDigits: '44445556' }],
  ['blocked-bin', { blockedBins: new Map([[7, new Set(['4444555'])]]) }, { leadingDigits: '44445551' }, { leadingDigits: '444455' }],
  ['blocked-country', { blockedCountries: new Set(['PRK']) }, { customerCountry: 'PRK' }, { customerCountry: undefined }],
  ['blocked-country', { blockedCountries: new Set(['PRK']) }, { issuerCountry: 'PRK' }, { issuerCountry: undefined }],
  ['blocked-ip', { blockedIps: [{ first: 10n, last: 20n }] }, { ip: 10n }, { ip: 9n }],
  ['blocked-ip', { blockedIps: [{ first: 10n, last: 20n }] }, { ip: 20n }, { ip: 21n }],
  ['blocked-ip', { blockedIps: [{ first: 10n, last: 20n }] }, { ip: 15n }, { ip: undefined }],
  ['per-card', { perCardCount: 3 }, { cardCount: 3 }, { cardCount: 2 }],
  ['per-ip', { perIpCount: 3 }, { ipCount: 4 }, { ipCount: 2 }],
];

describe('a screening rule', () => {
  it.each(rows)('%s: %o', (rule, rules, breaks, passes) => {
    expect(screen(rulesOf(rules), inputsOf(breaks))).toBe(rule);
    expect(screen(rulesOf(rules), inputsOf(passes))).toBeUndefined();
  });

  it('without a limit is never broken', () => {
    expect(screen(rulesOf(), inputsOf({ cardCount: 1_000_000, ipCount: 1_000_000, amounts: [usd(0n)] }))).toBeUndefined();
  });

  it('is checked in a fixed order, and the first broken rule is returned', () => {
    const all = Object.assign({}, ...rows.map(([, rules]) => rules)) as Partial<ScreeningRules>;
    const broken = inputsOf({ amounts: [usd(1n)], leadingDigits: '44445555', customerCountry: 'PRK', ip: 15n, cardCount: 9, ipCount: 9 });
    const rules = rulesOf({ ...all, blockedBins: new Map([[6, new Set(['444455'])]]), maxAmountMinor: 5_000n });
    // Removing each broken rule uncovers the next one.
    const cures: readonly Partial<ScreeningInputs>[] = [
      { amounts: [usd(5_001n)] },
      { amounts: [usd(5_000n)] },
      { leadingDigits: '510000' },
      { customerCountry: 'USA' },
      { ip: 9n },
      { cardCount: 0 },
      { ipCount: 0 },
    ];
    let inputs = broken;
    const named = [screen(rules, inputs)];
    for (const cure of cures) {
      inputs = { ...inputs, ...cure };
      named.push(screen(rules, inputs));
    }
    expect(named).toStrictEqual([...SCREENING_RULES, undefined]);
  });
});

it('a search among many address ranges gives the same result as a linear search', () => {
  const range = fc.tuple(fc.bigInt({ min: 0n, max: 2_000n }), fc.bigInt({ min: 0n, max: 5n }));
  fc.assert(
    fc.property(fc.array(range, { maxLength: 200 }), fc.bigInt({ min: 0n, max: 2_010n }), (pairs, ip) => {
      const apart: { first: bigint; last: bigint }[] = [];
      for (const [first, length] of [...pairs].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const before = apart.at(-1);
        if (before === undefined || first > before.last) apart.push({ first, last: first + length });
      }
      const isIn = apart.some(({ first, last }) => first <= ip && ip <= last);
      expect(screen(rulesOf({ blockedIps: apart }), inputsOf({ ip }))).toBe(isIn ? 'blocked-ip' : undefined);
    }),
  );
});
