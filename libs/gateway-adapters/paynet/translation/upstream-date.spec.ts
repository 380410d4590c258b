import fc from 'fast-check';
import { formatInstant } from '@app/gateway-protocol';
import type { Instant } from '@app/kernel';
import { readUpstreamDate } from '../wire/answer-fields';

const at = (iso: string) => Date.parse(iso);

describe('readUpstreamDate', () => {
  it.each([
    ['2024-01-31 10:20:30 UTC', '2024-01-31T10:20:30Z'],
    ['2024-01-31 10:20:30 GMT', '2024-01-31T10:20:30Z'],
    ['2024-01-31 10:20:30 MSK', '2024-01-31T07:20:30Z'],
    ['2024-07-31 10:20:30 CEST', '2024-07-31T08:20:30Z'],
    ['2024-01-31 10:20:30 +0530', '2024-01-31T04:50:30Z'],
    ['2024-01-31T10:20:30-03:00', '2024-01-31T13:20:30Z'],
    ['2024-01-31T10:20:30.123Z', '2024-01-31T10:20:30Z'],
    ['2024-01-31 10:20:30', '2024-01-31T10:20:30Z'],
  ])('reads %s', (text, iso) => {
    expect(readUpstreamDate(text)).toBe(at(iso));
  });

  it.each([
    undefined,
    '',
    'yesterday',
    '2024-02-30 10:20:30 UTC',
    '2024-13-01 10:20:30 UTC',
    '2024-01-31 25:20:30 UTC',
    '2024-01-31',
    '2024-01-31 10:20:30 IST',
    '31.01.2024 10:20:30',
  ])('returns undefined for %s', (text) => {
    expect(readUpstreamDate(text)).toBeUndefined();
  });

  it('reads every date that formatInstant writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
        const moment = (seconds * 1_000) as Instant;
        expect(readUpstreamDate(formatInstant(moment))).toBe(moment);
      }),
    );
  });
});
