import type { Currency, Instant } from '@app/kernel';
import { usd } from '@app/testing';
import fc from 'fast-check';
import { failedConditions, type RouteFacts, BinRanges } from './rule-conditions';
import type { RoutingConditions } from './routing-rules';

const at = (text: string): Instant => Date.parse(text) as Instant;
const facts: RouteFacts = { bin: '444433', country: 'USA', brand: 'VISA', amount: usd(1_000n), at: at('2026-11-24T10:30:00Z') };
const failed = (when: RoutingConditions, changes: Partial<RouteFacts> = {}) => failedConditions(when, { ...facts, ...changes }) ?? [];

describe('the conditions of a routing rule', () => {
  it('hold if the rule is unconditional', () => {
    expect(failed({})).toStrictEqual([]);
  });

  it.each<[RoutingConditions, string]>([
    [{ bins: ['444433'] }, 'one BIN'],
    [{ bins: ['555555', '400000-499999'] }, 'a range around the BIN'],
    [{ bins: ['444433-444433'] }, 'a range of one'],
    [{ countries: ['DEU', 'USA'] }, 'a country'],
    [{ brands: ['VISA'] }, 'a brand'],
    [{ currencies: ['EUR' as Currency, 'USD' as Currency] }, 'a currency'],
    [{ amountFromMinor: 1_000n, amountToMinor: 1_000n }, 'an amount at both ends'],
    [{ days: ['tue'] }, 'the day'],
    [{ from: '10:30', to: '10:31' }, 'the minute'],
    [{ from: '10:30' }, 'from that minute until midnight'],
    [{ to: '10:31' }, 'from midnight until the next minute'],
  ])('hold for %j, %s', (when) => {
    expect(failed(when)).toStrictEqual([]);
  });

  it.each<[RoutingConditions, string]>([
    [{ bins: ['444434', '444400-444432'] }, 'bin'],
    [{ countries: ['DEU'] }, 'country'],
    [{ brands: ['MASTERCARD'] }, 'brand'],
    [{ currencies: ['EUR' as Currency] }, 'currency'],
    [{ amountFromMinor: 1_001n }, 'amount'],
    [{ amountToMinor: 999n }, 'amount'],
    [{ days: ['mon', 'wed'] }, 'day'],
    [{ from: '10:31' }, 'time'],
    [{ to: '10:30' }, 'time'],
  ])('do not hold for %j', (when, condition) => {
    expect(failed(when)).toStrictEqual([condition]);
  });

  it('return every failed condition in a fixed order', () => {
    expect(failed({ from: '11:00', countries: ['DEU'], amountFromMinor: 2_000n, brands: ['VISA'] })).toStrictEqual([
      'country',
      'amount',
      'time',
    ]);
  });

  it('do not hold for unknown card data', () => {
    const { amount, at: now } = facts;
    const unknown = (when: RoutingConditions) => failedConditions(when, { amount, at: now }) ?? [];
    expect(unknown({ bins: ['000000-999999'] })).toStrictEqual(['bin']);
    expect(unknown({ countries: ['USA'] })).toStrictEqual(['country']);
    expect(unknown({ brands: ['VISA'] })).toStrictEqual(['brand']);
    expect(unknown({ amountToMinor: 1_000n })).toStrictEqual([]);
  });

  it('treat a BIN of fewer than six digits as unknown', () => {
    expect(failed({ bins: ['400000-499999'] }, { bin: '44443' })).toStrictEqual(['bin']);
  });

  it.each([
    ['22:00', true],
    ['23:59', true],
    ['00:00', true],
    ['05:59', true],
    ['06:00', false],
    ['21:59', false],
  ])('from 22:00 to 06:00 cross midnight: at %s %s', (time, holds) => {
    expect(failed({ from: '22:00', to: '06:00' }, { at: at(`2026-11-24T${time}:59Z`) })).toStrictEqual(holds ? [] : ['time']);
  });

  it('use the calendar day of the time, also after midnight', () => {
    const night: RoutingConditions = { from: '22:00', to: '06:00', days: ['tue'] };
    expect(failed(night, { at: at('2026-11-24T23:00:00Z') })).toStrictEqual([]);
    expect(failed(night, { at: at('2026-11-25T01:00:00Z') })).toStrictEqual(['day']);
  });
});

const digits = fc.integer({ min: 0, max: 999_999 });
const written = (bin: number): string => String(bin).padStart(6, '0');
const range = fc.tuple(digits, digits).map(([one, other]): readonly [number, number] => [Math.min(one, other), Math.max(one, other)]);
const textOf = ([first, last]: readonly [number, number]): string =>
  first === last ? written(first) : `${written(first)}-${written(last)}`;

describe('BinRanges', () => {
  it('contain exactly the BINs in their ranges, including both ends', () =>
    fc.assert(
      fc.property(fc.array(range, { maxLength: 40 }), fc.array(digits, { maxLength: 20 }), (ranges, others) => {
        const held = new BinRanges(ranges.map(textOf));
        const looked = [...others, ...ranges.flatMap(([first, last]) => [first - 1, first, last, last + 1])].filter(
          (bin) => bin >= 0 && bin <= 999_999,
        );
        for (const bin of looked)
          expect([bin, held.has(written(bin))]).toStrictEqual([bin, ranges.some(([first, last]) => first <= bin && bin <= last)]);
      }),
    ));

  it.each(['', '4', '44443', '4444333'])('do not contain text other than six digits: "%s"', (bin) => {
    expect(new BinRanges(['000000-999999']).has(bin)).toBe(false);
  });
});
