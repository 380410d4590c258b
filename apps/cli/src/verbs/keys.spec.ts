import { keyNamed, RETIRED_AFTER_MS, whyNotRetired } from './keys';

const use = (cards = 0, orderKeys = 0) => ({
  primary: 2,
  keys: [
    { id: 1, cards, orderKeys },
    { id: 2, cards: 9, orderKeys: 9 },
  ],
  retired: [],
});

it.each([
  ['the primary key', 2, use(), RETIRED_AFTER_MS, 'is the primary key'],
  ['an unknown key', 3, use(), RETIRED_AFTER_MS, 'holds no kek:3'],
  ['a key with cards', 1, use(1), RETIRED_AFTER_MS, '1 cards and 0 order keys are under kek:1'],
  ['a key with order keys', 1, use(0, 1), RETIRED_AFTER_MS, '0 cards and 1 order keys are under kek:1'],
  ['a key of a ring that was changed just now', 1, use(), RETIRED_AFTER_MS - 1, 'was changed 299 s ago'],
])('does not retire %s', (_what, id, known, changedAgoMs, why) => {
  expect(whyNotRetired(id, known, changedAgoMs)).toContain(why);
});

it('retires a key that encrypts nothing', () => {
  expect(whyNotRetired(1, use(), RETIRED_AFTER_MS)).toBeUndefined();
});

it.each([
  ['1', 1],
  ['kek:1', 1],
  ['kek:20', 20],
])('accepts a key id as a number or with the kek prefix (%s)', (text, id) => {
  expect(keyNamed(text)).toBe(id);
});

it.each(['', '0', '01', 'kek:', 'kek:0', 'index:1', 'kek:1 ', '-1', '1e1'])('rejects an invalid key id (%j)', (text) => {
  expect(keyNamed(text)).toBeUndefined();
});
