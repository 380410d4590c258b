import fc from 'fast-check';
import { type Instant, addMs } from '@app/kernel';
import type { OrderEvent } from '@app/read-models';
import { START } from '@app/read-models/testing';
import { attemptEvents, disputeEvents, finalEvents, followUpEvents, sampleOrder, sampleReceipt } from '@app/testing';
import { isLaterMoment, parseTime, parseVersion, type Moment, datedEvents, eventsAsOf, viewAfter } from './dated-events';
import { anyAppends, recorded, STEP_MS, type Append } from '../testing/recorded';

describe('parseTime', () => {
  it.each([
    ['2026-05-03T12:00Z', '2026-05-03T12:00:00.000Z'],
    ['2026-05-03T12:00:01Z', '2026-05-03T12:00:01.000Z'],
    ['2026-05-03T12:00:01.5Z', '2026-05-03T12:00:01.500Z'],
    ['2026-05-03T12:00:01.123+02:00', '2026-05-03T10:00:01.123Z'],
    ['2026-05-03T12:00-05:30', '2026-05-03T17:30:00.000Z'],
    ['2024-02-29T00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0099-01-01T00:00Z', '0099-01-01T00:00:00.000Z'],
  ])('parses %s as %s', (text, iso) => expect(new Date(parseTime(text) ?? NaN).toISOString()).toBe(iso));

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
  ])('rejects %p', (text) => expect(parseTime(text)).toBeUndefined());

  it('returns the same instant for every offset', () => {
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

describe('parseVersion', () => {
  it.each([
    ['0', 0n],
    ['12', 12n],
  ])('parses %s as %s', (text, version) => expect(parseVersion(text)).toBe(version));
  it.each(['', '-1', '01', '1.0', '12345678901', 'one'])('rejects %p', (text) => expect(parseVersion(text)).toBeUndefined());
});

describe('isLaterMoment', () => {
  const version = (number: bigint): Moment => ({ kind: 'version', version: number });
  const known = (at: number): Moment => ({ kind: 'known-at', at: at as Instant });
  const trueAt = (at: number): Moment => ({ kind: 'true-at', at: at as Instant });

  it.each([
    [version(3n), version(2n), true],
    [version(2n), version(2n), false],
    [known(3), known(2), true],
    [known(2), known(3), false],
    [trueAt(3), trueAt(2), true],
    [version(3n), known(2), false],
    [known(3), version(2n), false],
    [known(3), trueAt(2), false],
  ])('compares %o with %o: %s', (one, other, isLater) => expect(isLaterMoment(one, other)).toBe(isLater));
});

const noon = 1_777_809_600_000 as Instant;
const after = (seconds: number): Instant => addMs(noon, seconds * 1_000);

const accepted: OrderEvent = { type: 'OrderAccepted', data: sampleOrder({ acceptedAt: noon }) };
const atGate = (seconds: number) => sampleReceipt({ processedAt: after(seconds) });

const lateNews: readonly Append[] = [
  { at: noon, events: [accepted], actor: 'acme' },
  { at: after(1), events: [attemptEvents.started()] },
  { at: after(30), events: [attemptEvents.unknown()] },
  { at: after(1_800), events: [attemptEvents.approved({ receipt: atGate(10) }), finalEvents.approved()] },
];

const statusOf = (appends: readonly Append[], kind: 'known-at' | 'true-at', at: Instant): string | undefined =>
  viewAfter(eventsAsOf(datedEvents(recorded(appends)), { kind, at }))?.status;

describe('known and true status of an order at a time', () => {
  it.each([
    [-1, undefined, undefined],
    [0, 'processing', 'processing'],
    [9, 'processing', 'processing'],
    [10, 'processing', 'approved'],
    [29, 'processing', 'approved'],
    [30, 'unknown', 'approved'],
    [1_799, 'unknown', 'approved'],
    [1_800, 'approved', 'approved'],
  ])('%i s after the acceptance: known %s, true %s', (seconds, known, so) => {
    expect([statusOf(lateNews, 'known-at', after(seconds)), statusOf(lateNews, 'true-at', after(seconds))]).toStrictEqual([known, so]);
  });

  it('follows the recorded time of a final event that was appended later than its outcome', () => {
    const apart: readonly Append[] = [
      ...lateNews.slice(0, 3),
      { at: after(1_800), events: [attemptEvents.approved({ receipt: atGate(10) })] },
      { at: after(1_900), events: [finalEvents.approved()] },
    ];
    expect(statusOf(apart, 'true-at', after(20))).toBe('processing');
    expect(statusOf(apart, 'true-at', after(1_899))).not.toBe('approved');
    expect(statusOf(apart, 'true-at', after(1_900))).toBe('approved');
  });

  it('includes, at a version, the events up to that version', () => {
    const events = datedEvents(recorded(lateNews));
    expect(eventsAsOf(events, { kind: 'version', version: 2n }).map(({ logEvent }) => logEvent.event.type)).toStrictEqual([
      'OrderAccepted',
      'AttemptStarted',
      'AttemptUnknown',
    ]);
  });
});

describe('true time of an event with clock skew', () => {
  const trueTimes = (appends: readonly Append[]): readonly number[] =>
    datedEvents(recorded(appends)).map(({ trueAt }) => (trueAt - noon) / 1_000);

  it('is not before its request if the gate clock is behind', () => {
    const behind: readonly Append[] = [
      ...lateNews.slice(0, 2),
      { at: after(3), events: [attemptEvents.approved({ receipt: atGate(-600) }), finalEvents.approved()] },
    ];
    expect(trueTimes(behind)).toStrictEqual([0, 1, 1, 1]);
  });

  it('is not before the payer returned if a charge follows an authentication and the gate clock is behind', () => {
    const authenticated: readonly Append[] = [
      ...lateNews.slice(0, 2),
      { at: after(2), events: [attemptEvents.challenged()] },
      { at: after(60), events: [attemptEvents.payerReturned()] },
      { at: after(62), events: [attemptEvents.approved({ receipt: atGate(5) }), finalEvents.approved()] },
    ];
    expect(trueTimes(authenticated)).toStrictEqual([0, 1, 2, 60, 60, 60]);
  });

  it('is not after the outcome was recorded if the gate clock is ahead', () => {
    const ahead: readonly Append[] = [
      ...lateNews.slice(0, 2),
      { at: after(3), events: [attemptEvents.declined({ receipt: atGate(600) }), finalEvents.declined()] },
    ];
    expect(trueTimes(ahead)).toStrictEqual([0, 1, 3, 3]);
  });

  it('is not before the request of a follow-up, nor before the approval or report that a dispute report follows', () => {
    const { accepted: asked, started, approved } = followUpEvents;
    const later: readonly Append[] = [
      ...lateNews,
      { at: after(2_000), events: [asked()] },
      { at: after(2_001), events: [started()] },
      { at: after(2_010), events: [approved({ receipt: atGate(1_000) })] },
      { at: after(9_000), events: [disputeEvents.chargeback({ happenedAt: after(-50) })] },
      { at: after(9_100), events: [disputeEvents.representment({ happenedAt: after(5) })] },
      { at: after(9_200), events: [disputeEvents.chargeback({ stage: 'second', happenedAt: after(8_000) })] },
      { at: after(9_300), events: [disputeEvents.representment({ stage: 'second', happenedAt: after(7_000) })] },
    ];
    expect(trueTimes(later).slice(5)).toStrictEqual([2_000, 2_001, 2_001, 10, 10, 8_000, 8_000]);
  });

  it('uses a recorded time no earlier than that of the previous event, even if another process has a slow clock', () => {
    const skewed: readonly Append[] = [
      { at: after(5), events: [accepted] },
      { at: after(3), events: [attemptEvents.started()] },
    ];
    expect(datedEvents(recorded(skewed)).map(({ knownAt }) => knownAt)).toStrictEqual([after(5), after(5)]);
  });
});

describe('events by true time with any history and any clocks', () => {
  const choices = fc.array(fc.nat(12), { maxLength: 25 });
  const clocks = fc.array(fc.integer({ min: -40 * STEP_MS, max: 40 * STEP_MS }), { minLength: 1, maxLength: 7 });

  it('can be folded at every moment, include all known events, and are complete in the end', () => {
    fc.assert(
      fc.property(choices, clocks, fc.integer({ min: -10 * STEP_MS, max: 60 * STEP_MS }), (taken, skews, ms) => {
        const events = datedEvents(recorded(anyAppends(taken, skews)));
        const at = addMs(START, ms);
        const [known, so] = [eventsAsOf(events, { kind: 'known-at', at }), eventsAsOf(events, { kind: 'true-at', at })];
        expect(() => viewAfter(so)).not.toThrow();
        expect(so).toEqual(expect.arrayContaining([...known]));
        expect(known).toStrictEqual(events.slice(0, known.length));
        const end = { kind: 'true-at', at: addMs(START, 1_000 * STEP_MS) } as const;
        expect(viewAfter(eventsAsOf(events, end))).toStrictEqual(viewAfter(events));
      }),
      { numRuns: 500 },
    );
  });

  it('include all events of any earlier moment', () => {
    fc.assert(
      fc.property(choices, clocks, fc.nat(60 * STEP_MS), fc.nat(60 * STEP_MS), (taken, skews, one, other) => {
        const events = datedEvents(recorded(anyAppends(taken, skews)));
        const [first, last] = [Math.min(one, other), Math.max(one, other)].map((ms) =>
          eventsAsOf(events, { kind: 'true-at', at: addMs(START, ms) }),
        );
        expect(last).toEqual(expect.arrayContaining([...(first ?? [])]));
      }),
    );
  });
});
