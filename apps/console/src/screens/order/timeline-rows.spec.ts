import { entryRows, laneOf, timelineRows, wordsOf, type TrailEntry } from './timeline-rows';

const entry = (number: number, changes: Partial<TrailEntry> = {}): TrailEntry => ({
  number,
  at: '2026-01-01T00:00:00.000Z',
  category: 'payment',
  type: 'PayerReturned',
  actor: 'engine',
  claimedActor: null,
  merchant: 'shop',
  stream: 'payment-1',
  revision: number,
  eventId: `event-${number}`,
  correlation: 'serial',
  causation: 'serial',
  causedBy: null,
  problem: null,
  data: {},
  ...changes,
});

it.each([
  ['payment', 'OrderAccepted', 'order'],
  ['payment', 'OrderApproved', 'order'],
  ['recurring', 'AttemptUnknown', 'gate'],
  ['payment', 'FollowUpAccepted', 'order'],
  ['payment', 'FollowUpDeclined', 'gate'],
  ['payment', 'AttemptSettled', 'operator'],
  ['payment', 'ChargebackReceived', 'gate'],
  ['delivery', 'CallbackFailed', 'callbacks'],
  ['cardReference', 'CardReferenceIssued', 'card'],
  ['erasure', 'LegalHoldPlaced', 'operator'],
])('puts %s %s into the lane %s', (category, type, lane) => {
  expect(laneOf({ category, type })).toBe(lane);
});

it('names an unreadable event by its type, and says why', () => {
  expect(wordsOf({ type: 'AttemptApproved', data: null, problem: 'the chain is broken' })).toStrictEqual({
    title: 'AttemptApproved',
    facts: ['the chain is broken'],
    tone: 'bad',
  });
  expect(wordsOf({ type: 'OfALaterRelease', data: {}, problem: null }).title).toBe('OfALaterRelease');
});

const dayOf = (at: string): string => at.slice(0, 10);
const shown = (entries: readonly TrailEntry[], filters: Parameters<typeof timelineRows>[1] = {}): readonly string[] =>
  timelineRows(entryRows(entries), filters, dayOf).map((row) => {
    if (row.kind === 'gap') return `gap of ${row.ms}`;
    return row.kind === 'day' ? `day of ${row.at}` : `${row.entry.number} after ${row.sinceMs ?? '-'}`;
  });

it('collapses a silence of a minute or more into one row, and begins each day with a row', () => {
  const times = ['2026-01-01T23:00:00.000Z', '2026-01-01T23:00:00.250Z', '2026-01-02T00:00:00.250Z'];
  expect(shown(times.map((at, index) => entry(index + 1, { at })))).toStrictEqual([
    'day of 2026-01-01T23:00:00.000Z',
    '1 after -',
    '2 after 250',
    'gap of 3600000',
    'day of 2026-01-02T00:00:00.250Z',
    '3 after 3600000',
  ]);
});

it('leaves out lanes and entries without the words, and measures from the row before', () => {
  const entries = [
    entry(1),
    entry(2, { category: 'delivery', type: 'CallbackDelivered', data: { target: 'notify', status: 200, tries: 1, factId: 'x' } }),
    entry(3, { at: '2026-01-01T00:00:02.000Z' }),
  ];
  expect(shown(entries, { without: ['callbacks'] }).slice(1)).toStrictEqual(['1 after -', '3 after 2000']);
  expect(shown(entries, { words: 'DELIVERED http' }).slice(1)).toStrictEqual(['2 after -']);
});

it('leaves out queries that revealed nothing, unless they are asked for', () => {
  const query = { category: 'operator', type: 'OperatorQueryAnswered' };
  const data = { query: 'order-trail', role: 'admin', rows: 1 };
  const entries = [entry(1, { ...query, data }), entry(2, { ...query, data: { ...data, revealed: { texts: 1, reason: '[sealed]' } } })];
  expect(shown(entries).slice(1)).toStrictEqual(['2 after -']);
  expect(shown(entries, { queries: true }).slice(1)).toStrictEqual(['1 after -', '2 after 0']);
});
