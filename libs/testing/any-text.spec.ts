import * as fc from 'fast-check';
import { codePoint, webAddress } from './any-text';

const SEED = 20_240;
const TAKEN = 5_000;

it('takes code points of one, two, three and four bytes, and no half of one', () => {
  const taken = fc.sample(codePoint, { numRuns: TAKEN, seed: SEED });
  expect(taken.filter((text) => !text.isWellFormed() || [...text].length !== 1)).toStrictEqual([]);
  expect(new Set(taken.map((text) => Buffer.byteLength(text)))).toStrictEqual(new Set([1, 2, 3, 4]));
});

it.each(['\u0000', '\ud7ff', '\ue000', '\u{10ffff}'])('takes %j as one of its own, to make it smaller', (edge) => {
  expect(codePoint.canShrinkWithoutContext(edge)).toBe(true);
});

it.each(['', 'ab', '\ud800', '\udfff', 7])('takes %j for none of its own', (other) => {
  expect(codePoint.canShrinkWithoutContext(other)).toBe(false);
});

it('makes addresses that are read as they were written', () => {
  for (const address of fc.sample(webAddress, { numRuns: 200, seed: SEED })) {
    const url = new URL(address);
    expect(address.startsWith(`${url.protocol}//`)).toBe(true);
    expect([url.username, url.password, url.port]).toStrictEqual(['', '', '']);
  }
});
