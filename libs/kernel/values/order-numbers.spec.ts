import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { seededRandom } from '@app/testing';
import { isLuhnValid } from './card';
import { isOrderId, isOrderNumber, ORDER_KINDS, type OrderId, type OrderKind } from './ids';
import { OrderNumbers, orderNumbersOf } from './order-numbers';

const random = seededRandom(3);
const keyStream = (bytes: number): Uint8Array =>
  createCipheriv('aes-256-ctr', random.bytes(32), Buffer.alloc(16)).update(Buffer.alloc(bytes));
const numbers = new OrderNumbers(keyStream);
const KINDS = Object.values(ORDER_KINDS);
const placed = fc
  .constantFrom(...KINDS)
  .chain((kind) =>
    fc.tuple(fc.constant(kind), fc.oneof(fc.nat({ max: orderNumbersOf(kind) - 1 }), fc.constantFrom(0, orderNumbersOf(kind) - 1))),
  );

describe('OrderNumbers', () => {
  it('divide the whole range from 1000000000 to 2147483647 between the kinds [W490]', () => {
    expect(KINDS.reduce((sum, kind) => sum + orderNumbersOf(kind), 0)).toBe(2_147_483_647 - 1_000_000_000 + 1);
    expect(orderNumbersOf('payment')).toBe(573_741_824);
    for (const kind of KINDS) expect(Number.isInteger(orderNumbersOf(kind))).toBe(true);
  });

  it('have ten digits, fit a signed 32-bit integer, and identify their kind [W486]', () => {
    fc.assert(
      fc.property(placed, ([kind, place]) => {
        const id = numbers.numberAt(kind, place);
        expect(id).toMatch(/^[12]\d{9}$/);
        expect(Number(id) | 0).toBe(Number(id));
        expect(isOrderId(id)).toBe(true);
        expect(numbers.kindOf(id)).toBe(kind);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are unique within a kind and across kinds', () => {
    fc.assert(
      fc.property(placed, placed, ([kind, place], [otherKind, otherPlace]) => {
        const isSame = kind === otherKind && place === otherPlace;
        expect(numbers.numberAt(kind, place) === numbers.numberAt(otherKind, otherPlace)).toBe(isSame);
      }),
      { numRuns: 500 },
    );
    const given = new Set(KINDS.flatMap((kind) => Array.from({ length: 20_000 }, (_, place) => numbers.numberAt(kind, place))));
    expect(given.size).toBe(80_000);
  });

  it('belong to exactly one kind, even if they are not issued [W490]', () => {
    const counts = new Map<OrderKind, number>();
    for (let drawn = 0; drawn < 8_000; drawn++) {
      const kind = numbers.kindOf(String(1_000_000_000 + Math.floor(random.fraction() * 1_147_483_648)) as OrderId);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toStrictEqual(KINDS.toSorted());
    expect((counts.get('payment') ?? 0) / 8_000).toBeCloseTo(0.5, 1);
  });

  it.each([-1, 0.5, Number.NaN])('refuse the place %d', (place) => {
    expect(() => numbers.numberAt('payment', place)).toThrow(RangeError);
  });

  it('refuse a place beyond the last of the kind', () => {
    for (const kind of KINDS) expect(() => numbers.numberAt(kind, orderNumbersOf(kind))).toThrow(RangeError);
  });

  it('are too short for a card number, even if their check digit is valid', () => {
    const luhn = Array.from({ length: 200 }, (_, place) => numbers.numberAt('payment', place)).filter(isLuhnValid);
    expect(luhn.length).toBeGreaterThan(0);
    expect(luhn.every((id) => id.length === 10)).toBe(true);
  });
});

describe('isOrderNumber', () => {
  it.each(['1000000000', '2147483647', '1234567890'])('accepts %s', (text) => {
    expect([isOrderNumber(text), isOrderId(text)]).toStrictEqual([true, true]);
  });

  it.each([
    '0999999999',
    '999999999',
    '2147483648',
    '9999999999',
    '10000000000',
    '1000000000\n',
    ' 1000000000',
    '1e9',
    '+1000000000',
    '１０００００００００',
    '',
  ])('refuses %j', (text) => {
    expect([isOrderNumber(text), isOrderId(text)]).toStrictEqual([false, false]);
  });

  it('accepts exactly the numbers of ten digits up to 2147483647', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[12][0-9]{9}$/), (text) => {
        expect(isOrderNumber(text)).toBe(Number(text) <= 2_147_483_647);
      }),
    );
  });
});
