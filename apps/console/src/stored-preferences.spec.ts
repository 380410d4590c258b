import { DEFAULTS, preferencesOf } from './stored-preferences';

it.each(['', 'not JSON', 'null', '7', '[]', '"text"', '{"theme":"pink","zone":7,"columns":null,"views":null}'])(
  'has the defaults for %j, which is not ours',
  (text) => expect(preferencesOf(text)).toEqual(DEFAULTS),
);

it('keeps what is sound beside what is damaged', () =>
  expect(
    preferencesOf(
      JSON.stringify({
        theme: 'dark',
        zone: 'local',
        columns: { '/orders': ['rrn', 7], '/gates': 'rrn' },
        views: { '/orders': [{ name: 'mine', search: '?a=1' }, null, { name: 7 }], '/gates': {} },
      }),
    ),
  ).toEqual({
    theme: 'dark',
    zone: 'local',
    columns: { '/orders': ['rrn'], '/gates': [] },
    views: { '/orders': [{ name: 'mine', search: '?a=1' }], '/gates': [] },
  }));
