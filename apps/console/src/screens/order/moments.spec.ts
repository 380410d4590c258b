import type { Schemas } from '../../port';
import { fieldLabel, Moments } from './moments';

type Changes = Readonly<Record<string, readonly [before: string | null, after: string | null]>>;

const changesOf = (changes: Changes): Schemas['FieldChange'][] =>
  Object.entries(changes).map(([field, [before, after]]) => ({ field, before, after }));
const event = (revision: number, changes: Partial<Schemas['EventJson']> = {}): Schemas['EventJson'] => {
  const knownAt = changes.knownAt ?? `2026-01-01T00:00:0${revision}.000Z`;
  return {
    revision,
    id: `event-${revision}`,
    type: 'AnEvent',
    knownAt,
    trueAt: knownAt,
    actor: 'engine',
    correlation: 'serial-1',
    causation: 'serial-1',
    ...changes,
  };
};

/** The answer to an inquiry was recorded after a decline that happened later at the gate. */
const STEPS: Schemas['OrderSteps'] = {
  steps: [
    { event: event(0), changes: changesOf({ status: [null, 'processing'], amount: [null, '10.00'] }) },
    { event: event(1, { causation: 'event-0' }), changes: changesOf({ gate: [null, 'sim-a'], payerDueAt: [null, 'soon'] }) },
    { event: event(2, { causation: 'event-1' }), changes: changesOf({ status: ['processing', 'approved'], payerDueAt: ['soon', null] }) },
    {
      event: event(3, { trueAt: '2026-01-01T00:00:01.500Z', causation: 'elsewhere' }),
      changes: changesOf({ conflicts: [null, '1'] }),
    },
  ],
  trueSteps: [
    { trueAt: '2026-01-01T00:00:00.000Z', revisions: [0], changes: changesOf({ status: [null, 'processing'], amount: [null, '10.00'] }) },
    { trueAt: '2026-01-01T00:00:01.000Z', revisions: [1], changes: changesOf({ gate: [null, 'sim-a'], payerDueAt: [null, 'soon'] }) },
    { trueAt: '2026-01-01T00:00:01.500Z', revisions: [3], changes: changesOf({ conflicts: [null, '1'] }) },
    {
      trueAt: '2026-01-01T00:00:02.000Z',
      revisions: [2],
      changes: changesOf({ status: ['processing', 'approved'], payerDueAt: ['soon', null] }),
    },
  ],
};

const recorded = new Moments(STEPS, 'recorded');
const atGate = new Moments(STEPS, 'gate');
const values = (moments: Moments, place: number) =>
  moments.stateAt(place).map(({ field, value, setAt, isChanged }) => [field, value, setAt, isChanged]);

describe('the state at a moment', () => {
  it('has each field’s last value, the place that set it, and whether this place changed it', () => {
    expect(values(recorded, 1)).toStrictEqual([
      ['status', 'processing', 0, false],
      ['amount', '10.00', 0, false],
      ['gate', 'sim-a', 1, true],
      ['payerDueAt', 'soon', 1, true],
    ]);
  });

  it('shows that a field lost its value, and leaves it out afterwards', () => {
    expect(values(recorded, 2)).toContainEqual(['payerDueAt', null, 2, true]);
    expect(values(recorded, 3).map(([field]) => field)).toStrictEqual(['status', 'amount', 'gate', 'conflicts']);
  });

  it('follows the gate’s clock for events that were recorded late', () => {
    expect(atGate.places.map(({ events }) => events.map(({ revision }) => revision))).toStrictEqual([[0], [1], [3], [2]]);
    expect(values(atGate, 2)).toContainEqual(['conflicts', '1', 2, true]);
    expect(values(atGate, 2)).toContainEqual(['status', 'processing', 0, false]);
  });

  it('uses the recorded steps for both clocks if no event was late', () => {
    const { places } = new Moments({ steps: STEPS.steps.slice(0, 3), trueSteps: null }, 'gate');
    expect(places.map(({ at }) => at.slice(17, 19))).toStrictEqual(['00', '01', '02']);
  });
});

describe('the difference of two moments', () => {
  it('has the fields whose values differ, with the place that set the later value', () => {
    expect(recorded.difference(0, 3)).toStrictEqual([
      { field: 'status', before: 'processing', after: 'approved', setAt: 2 },
      { field: 'gate', before: null, after: 'sim-a', setAt: 1 },
      { field: 'conflicts', before: null, after: '1', setAt: 3 },
    ]);
  });

  it('is empty between a moment and itself', () => {
    expect(recorded.difference(2, 2)).toStrictEqual([]);
  });
});

describe('the place of a moment', () => {
  it.each([
    ['2', 2],
    ['2026-01-01T00:00:01.999Z', 1],
    ['2027-01-01', 3],
    ['2020-01-01', undefined],
    ['9', undefined],
    ['yesterday', undefined],
  ])('finds %s', (text, place) => {
    expect(recorded.placeOf(text)).toBe(place);
  });

  it('names a place so that it is found again', () => {
    expect(atGate.placeOf(atGate.nameOf(2))).toBe(2);
  });
});

it('follows the causes back to the request, or to another stream', () => {
  const { places } = recorded;
  expect(recorded.causesOf(places[2]?.events[0] as never)).toMatchObject([
    { kind: 'event', event: { revision: 1 } },
    { kind: 'event', event: { revision: 0 } },
    { kind: 'request', id: 'serial-1' },
  ]);
  expect(recorded.causesOf(places[3]?.events[0] as never)).toStrictEqual([{ kind: 'elsewhere', id: 'elsewhere' }]);
});

it('reads 5,000 events once, and each state without a replay', () => {
  const steps = Array.from({ length: 5_000 }, (_, revision) => ({
    event: event(revision, { knownAt: new Date(revision).toISOString() }),
    changes: changesOf({ [`serials[${revision}]`]: [null, 'x'], status: [String(revision - 1), String(revision)] }),
  }));
  const moments = new Moments({ steps, trueSteps: null }, 'recorded');
  expect(moments.stateAt(4_999)).toHaveLength(5_001);
  expect(moments.stateAt(10)).toContainEqual({ field: 'status', value: '10', setAt: 10, isChanged: true });
});

it.each([
  ['followUps[0].status', 'Follow-up 1, status'],
  ['serials[3]', 'Request 4'],
  ['reports[0].isAboveTaken', 'Report 1, more went back than was taken'],
  ['card.lastFour', 'Last four digits of the card'],
  ['payerAuthentication', 'Payer authentication'],
  ['rrn', 'RRN'],
])('says %s as %s', (field, label) => {
  expect(fieldLabel(field)).toBe(label);
});
