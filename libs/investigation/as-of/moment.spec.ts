import fc from 'fast-check';
import type { Instant } from '@app/kernel';
import { isLaterMoment, parseTime, parseVersion, type Moment } from './moment';

describe('a time', () => {
  it.each([
    ['2026-05-03T12:00Z', '2026-05-03T12:00:00.000Z'],
    ['2026-05-03T12:00:01Z', '2026-05-03T12:00:01.000Z'],
    ['2026-05-03T12:00:01.5Z', '2026-05-03T12:00:01.500Z'],
    ['2026-05-03T12:00:01.123+02:00', '2026-05-03T10:00:01.123Z'],
    ['2026-05-03T12:00-05:30', '2026-05-03T17:30:00.000Z'],
    ['2024-02-29T00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0099-01-01T00:00Z', '0099-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, iso) => expect(new Date(parseTime(text) ?? NaN).toISOString()).toBe(iso));

  it.each([
    '2026-05-03',
    '2026-05-03T12:00',
    '2026-05-03 12:00Z',
    '2026-02-30T12:00Z',
    '2026-13-01T12:00Z',
    '2026-05-03T24:00Z',
    '2026-05-03T12:60Z',
    '2026-05-03T12:00:00.1234Z',
    '2026-05-03T12:00+15:00',
    '2026-05-03T12:00+02:60',
    'noon',
    '',
    '1777809600000',
  ])('%p is none', (text) => expect(parseTime(text)).toBeUndefined());

  it('is the same moment in every offset', () => {
    const moment = fc.date({ min: new Date('0001-01-02T00:00Z'), max: new Date('9998-12-30T00:00Z'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, fc.integer({ min: -14 * 60, max: 14 * 60 }), (date, offset) => {
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) => String(part).padStart(2, '0'));
        expect(parseTime(`${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`)).toBe(date.getTime());
      }),
    );
  });
});

describe('a version', () => {
  it.each([
    ['0', 0n],
    ['12', 12n],
  ])('%s is %s', (text, version) => expect(parseVersion(text)).toBe(version));
  it.each(['', '-1', '01', '1.0', '12345678901', 'one'])('%p is none', (text) => expect(parseVersion(text)).toBeUndefined());
});

describe('two moments', () => {
  const version = (number: bigint): Moment => ({ kind: 'version', version: number });
  const known = (at: number): Moment => ({ kind: 'known-at', at: at as Instant });
  const trueAt = (at: number): Moment => ({ kind: 'true-at', at: at as Instant });

  it.each([
    [version(3n), version(2n), true],
    [version(2n), version(2n), false],
    [known(3), known(2), true],
    [known(2), known(3), false],
    [trueAt(3), trueAt(2), true],
    // Only the events tell which of these is the later one.
    [version(3n), known(2), false],
    [known(3), version(2n), false],
    [known(3), trueAt(2), false],
  ])('%o is later than %o: %s', (one, other, isLater) => expect(isLaterMoment(one, other)).toBe(isLater));
});
