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

it('collapses a silence of a minute or more into one row', () => {
  const rows = timelineRows(
    entryRows([entry(1), entry(2, { at: '2026-01-01T00:00:00.250Z' }), entry(3, { at: '2026-01-01T01:00:00.250Z' })]),
  );
  expect(rows.map((row) => (row.kind === 'gap' ? `gap of ${row.ms}` : `${row.entry.number} after ${row.sinceMs}`))).toStrictEqual([
    '1 after undefined',
    '2 after 250',
    'gap of 3600000',
    '3 after 3600000',
  ]);
});

it('leaves out lanes and entries without the words, and measures from the row before', () => {
  const entries = entryRows([
    entry(1),
    entry(2, { category: 'delivery', type: 'CallbackDelivered', data: { target: 'notify', status: 200, tries: 1, factId: 'x' } }),
    entry(3, { at: '2026-01-01T00:00:02.000Z' }),
  ]);
  const numbers = (filters: Parameters<typeof timelineRows>[1]) =>
    timelineRows(entries, filters).map((row) => (row.kind === 'gap' ? 'gap' : [row.entry.number, row.sinceMs]));
  expect(numbers({ without: ['callbacks'] })).toStrictEqual([
    [1, undefined],
    [3, 2_000],
  ]);
  expect(numbers({ words: 'DELIVERED http' })).toStrictEqual([[2, undefined]]);
});
