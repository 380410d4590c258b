import { flagOf, listOf, numberOf, parseSearch, stringifySearch, textOf, wordOf } from './search';

it('keeps values as texts, so that an order number stays what it is', () =>
  expect(parseSearch('?order=1218710674&on=2026-11-29')).toEqual({ order: '1218710674', on: '2026-11-29' }));

it('collects a repeated name into a list', () => expect(parseSearch('status=a&status=b&status=c')).toEqual({ status: ['a', 'b', 'c'] }));

it('writes what it reads', () => {
  const search = { order: '1218710674', status: ['approved', 'declined'], q: 'a&b=ü 1' };
  expect(parseSearch(stringifySearch(search))).toEqual(search);
});

it('leaves absent, empty and false values out', () =>
  expect(stringifySearch({ a: undefined, b: '', c: false, d: null, e: [], f: true, g: 0 })).toBe('?f=true&g=0'));

it('writes nothing for an empty search', () => expect(stringifySearch({})).toBe(''));

it('takes only values of the expected form, because an address may be typed by hand', () => {
  expect([textOf('x'), textOf(''), textOf(['x']), textOf(3)]).toEqual(['x', undefined, undefined, undefined]);
  expect([wordOf(['a', 'b'], 'b'), wordOf(['a', 'b'], 'c')]).toEqual(['b', undefined]);
  expect([listOf('a'), listOf(['a', '', 3]), listOf(undefined)]).toEqual([['a'], ['a'], []]);
  expect([numberOf('17'), numberOf(4), numberOf('-1'), numberOf('1e3'), numberOf(undefined)]).toEqual([
    17,
    4,
    undefined,
    undefined,
    undefined,
  ]);
  expect([flagOf('true'), flagOf(true), flagOf('1')]).toEqual([true, true, undefined]);
});
