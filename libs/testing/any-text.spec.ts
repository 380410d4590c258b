import * as fc from 'fast-check';
import { codePoint, webAddress } from './any-text';

const SEED = 20_240;
const TAKEN = 5_000;

it('the arbitrary code point has one, two, three and four bytes, and never half of a pair', () => {
  const taken = fc.sample(codePoint, { numRuns: TAKEN, seed: SEED });
  expect(taken.filter((text) => !text.isWellFormed() || [...text].length !== 1)).toStrictEqual([]);
  expect(new Set(taken.map((text) => Buffer.byteLength(text)))).toStrictEqual(new Set([1, 2, 3, 4]));
});

it.each(['\u0000', '\ud7ff', '\ue000', '\u{10ffff}'])('the arbitrary code point shrinks %j as a value of its own', (edge) => {
  expect(codePoint.canShrinkWithoutContext(edge)).toBe(true);
});

it.each(['', 'ab', '\ud800', '\udfff', 7])('the arbitrary code point does not accept %j as a value of its own', (other) => {
  expect(codePoint.canShrinkWithoutContext(other)).toBe(false);
});

it('the arbitrary address is parsed unchanged', () => {
  for (const address of fc.sample(webAddress, { numRuns: 200, seed: SEED })) {
    const url = new URL(address);
    expect(address.startsWith(`${url.protocol}//`)).toBe(true);
    expect([url.username, url.password, url.port]).toStrictEqual(['', '', '']);
  }
});
