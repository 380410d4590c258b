import type { Instant } from '@app/kernel';
import type { OrderStatusView } from '@app/read-models';
import { aroundDay, fitsNotice, isDay, isZone, withinNotice } from './notice';

const at = (iso: string): Instant => Date.parse(iso) as Instant;
const RIGA = aroundDay('2026-11-27', 'Europe/Riga');
const view = {
  acceptedAt: at('2026-11-20T12:00:00Z'),
  finalAt: at('2026-11-20T12:00:01Z'),
  receipt: { processedAt: at('2026-11-20T12:00:01Z') },
  destination: null,
  gate: { descriptor: 'ACME*SHOP  Riga' },
  followUps: [],
} as unknown as OrderStatusView;

describe('aroundDay', () => {
  it.each([
    ['Europe/Riga', '2026-11-25T22:00:00Z', '2026-11-28T22:00:00Z'],
    ['UTC', '2026-11-26T00:00:00Z', '2026-11-29T00:00:00Z'],
    ['Pacific/Auckland', '2026-11-25T11:00:00Z', '2026-11-28T11:00:00Z'],
  ])('returns the days in the zone %s', (zone, from, to) => {
    expect(aroundDay('2026-11-27', zone)).toStrictEqual({ seenFrom: at(from), seenTo: at(to) });
  });

  it('includes whole days if the clocks change', () => {
    expect(aroundDay('2026-03-29', 'Europe/Riga')).toStrictEqual({
      seenFrom: at('2026-03-27T22:00:00Z'),
      seenTo: at('2026-03-30T21:00:00Z'),
    });
  });

  it('relies on isDay and isZone, which refuse invalid days and zones', () => {
    expect(['2026-11-27', '2026-02-29', '2026-2-1', '27.11.2026'].map(isDay)).toStrictEqual([true, false, false, false]);
    expect(['Europe/Riga', 'UTC', 'Riga'].map(isZone)).toStrictEqual([true, true, false]);
  });
});

describe('fitsNotice matches an order', () => {
  it.each<[string, Parameters<typeof fitsNotice>[0], boolean]>([
    ['by a part of its descriptor, with other case and blanks', { descriptor: 'acme*shop riga' }, true],
    ['and not by another descriptor', { descriptor: 'other' }, false],
    ['and not before the days', RIGA, false],
    ['on a day of its acceptance', aroundDay('2026-11-21', 'UTC'), true],
  ])('%s', (_, notice, fits) => {
    expect(fitsNotice(notice, view)).toBe(fits);
  });

  it('by the processing date of the order or of a follow-up', () => {
    const processed = { ...view, receipt: { processedAt: at('2026-11-27T01:00:00Z') } } as unknown as OrderStatusView;
    const captured = { ...view, followUps: [{ receipt: null, finalAt: at('2026-11-27T01:00:00Z') }] } as unknown as OrderStatusView;
    expect([processed, captured].map((one) => fitsNotice(RIGA, one))).toStrictEqual([true, true]);
  });

  it('in a creation range of the days and the month before them (withinNotice)', () => {
    expect(withinNotice({}, RIGA)).toStrictEqual({ createdFrom: at('2026-10-25T22:00:00Z'), createdTo: RIGA.seenTo });
    const createdFrom = at('2026-11-26T00:00:00Z');
    expect(withinNotice({ createdFrom }, RIGA)).toStrictEqual({ createdFrom, createdTo: RIGA.seenTo });
    expect(withinNotice({}, { descriptor: 'shop' })).toStrictEqual({});
  });
});
