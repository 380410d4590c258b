import { addMs, type Instant } from '@app/kernel';
import { inquireAgainAt } from './work-order.reactor';

const NOW = 1_000_000 as Instant;
const DUE_AT = addMs(NOW, 60_000);

describe('the next inquiry', () => {
  it.each([
    ['is on schedule if a "not found" can be believed already', 0, 60_000],
    ['is on schedule if it depends on a call that has no known end', undefined, 60_000],
    ['comes as soon as a "not found" can be believed', 500, 501],
    ['never comes a fraction of a millisecond too early', 500.25, 502],
    ['is never later than scheduled', 60_000, 60_000],
  ])('%s', (_title, waitsMs, afterMs) => {
    expect(inquireAgainAt(DUE_AT, NOW, waitsMs)).toBe(addMs(NOW, afterMs));
  });
});
