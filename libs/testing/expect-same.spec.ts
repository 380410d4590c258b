import { expectSame } from './expect-same';

describe('expectSame', () => {
  it.each<[unknown, unknown]>([
    [1, 1],
    [undefined, undefined],
    [{ a: [1n, { b: null }] }, { a: [1n, { b: null }] }],
    [new Map([[1, { a: 2 }]]), new Map([[1, { a: 2 }]])],
  ])('accepts %p and %p as equal', (actual, expected) => expect(() => expectSame(actual, expected)).not.toThrow());

  it.each<[unknown, unknown]>([
    [1, 2],
    [0, -0],
    [1, '1'],
    [{ a: 1 }, { a: 1, b: undefined }],
    [[1], [1, 2]],
    [{ a: { b: 1n } }, { a: { b: 2n } }],
  ])('throws for %p and %p', (actual, expected) => expect(() => expectSame(actual, expected)).toThrow('toStrictEqual'));
});
