import { activityChips, activityFaults, countText, justBefore, nameText, outcomeOf, queryOf } from './activity-words';

it.each([
  ['place-hold', 'Place hold'],
  ['SessionBegan', 'Session began'],
  ['return-order', 'Refund'],
])('names %s in words', (name, words) => expect(nameText(name)).toBe(words));

it.each([
  ['action', 'done', 'Done'],
  ['action', 'refused', 'Refused'],
  ['action', null, 'End not recorded'],
  ['query', null, undefined],
] as const)('says how %s with the outcome %s ended', (kind, outcome, word) => expect(outcomeOf({ kind, outcome })?.[1]).toBe(word));

it('counts rows and refusals', () => {
  expect([
    countText({ kind: 'query', count: 1 }),
    countText({ kind: 'refusal', count: 3 }),
    countText({ kind: 'action', count: null }),
  ]).toEqual(['1 row', '3 times', undefined]);
});

it.each([
  [
    { person: 'kim', name: undefined },
    { person: 'kim', without: 'query' },
  ],
  [{ person: 'kim', kind: 'all' }, { person: 'kim' }],
  [{ kind: 'query' }, { kind: 'query' }],
] as const)('asks the port with %j for %j', (filters, query) => expect(queryOf(filters)).toStrictEqual(query));

it('shows the filters in force as chips', () => {
  const chips = activityChips({ kind: 'action', person: 'kim', since: '2026-11-29T01:00:00Z' }, 'utc');
  expect(chips.map(({ label, value }) => `${label}: ${value.replaceAll('\u00a0', ' ')}`)).toEqual([
    'Person: kim',
    'Kind: Action',
    'Since: 2026-11-29 01:00:00 UTC',
  ]);
});

it('checks what a person wrote', () => {
  expect(activityFaults({ person: '1', name: 'a b', target: 'a b', since: '2026-11-29T01:00:00Z', until: '2026-11-29T00:00:00Z' })).toEqual(
    {
      person: 'The name of an operator.',
      name: 'As in the list, such as return-order.',
      target: 'An identifier without blanks.',
      until: 'It is before the other end.',
    },
  );
  expect(activityFaults({ person: 'kim', name: 'return-order', target: '1218710674' })).toEqual({});
});

it('justBefore is the last moment of the configuration before', () => {
  expect(justBefore('2026-11-29T01:00:00.000Z')).toBe('2026-11-29T00:59:59.999Z');
});
