import { expectSame } from './expect-same';

describe('an expectation of an inner loop', () => {
  it.each<[unknown, unknown]>([
    [1, 1],
    [undefined, undefined],
    [{ a: [1n, { b: null }] }, { a: [1n, { b: null }] }],
    [new Map([[1, { a: 2 }]]), new Map([[1, { a: 2 }]])],
  ])('holds of %p and %p', (actual, expected) => expect(() => expectSame(actual, expected)).not.toThrow());

  it.each<[unknown, unknown]>([
    [1, 2],
    [0, -0],
    [1, '1'],
    [{ a: 1 }, { a: 1, b: undefined }],
    [[1], [1, 2]],
    [{ a: { b: 1n } }, { a: { b: 2n } }],
  ])('tells %p from %p', (actual, expected) => expect(() => expectSame(actual, expected)).toThrow('toStrictEqual'));
});
