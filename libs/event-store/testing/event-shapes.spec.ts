import { eventCodec, f } from '..';
import type { CatalogueEntry } from '../core/codec/codec';
import { grownShapes, shapeFaults } from './event-shapes';

type Data = {
  readonly id: string;
  readonly mode: 'a' | 'b';
  readonly note?: string;
  readonly items: readonly { readonly count: number }[];
};
type Noted = { readonly type: 'Noted'; readonly data: Data };
const items = () => f.list<Data['items']>(f.object<Data['items'][number]>({ count: f.int() }));
const noted = eventCodec<Noted>('test', {
  Noted: {
    version: 1,
    meaning: 'test',
    schema: f.object<Data>({ id: f.id(), mode: f.oneOf('a', 'b'), note: f.optional(f.text()), items: items() }),
  },
}).describe();
const committed = grownShapes({}, noted);

const entry = noted[0] as CatalogueEntry;
const changed = (change: (fields: CatalogueEntry['fields']) => CatalogueEntry['fields'], version = 1): readonly CatalogueEntry[] => [
  { ...entry, version, fields: change(entry.fields) },
];
const edit = (path: string, more: object) => (fields: CatalogueEntry['fields']) =>
  fields.map((field) => (field.path === path ? { ...field, ...more } : field));

it('shapeFaults accepts the committed shape and shapes that only add to it', () => {
  expect(committed).toStrictEqual({
    'test.Noted.v1': [
      'id id always',
      'items list always',
      'items[] object always',
      'items[].count int always',
      'mode one-of always a b',
      'note text optional',
    ].sort(),
  });
  expect(shapeFaults(committed, noted)).toStrictEqual([]);
  expect(
    shapeFaults(
      committed,
      changed((fields) => [...fields, { path: 'more', kind: 'int', optional: true, values: [] }]),
    ),
  ).toStrictEqual([]);
  const list = [{ path: 'more', kind: 'list', optional: true, values: [] }, { path: 'more[]', kind: 'id', optional: false, values: [] }] as const; // prettier-ignore
  expect(
    shapeFaults(
      committed,
      changed((fields) => [...fields, ...list]),
    ),
  ).toStrictEqual([]);
  expect(shapeFaults(committed, changed(edit('mode', { values: ['a', 'b', 'c'] })))).toStrictEqual([]);
});

it.each<[string, readonly CatalogueEntry[]]>([
  ['test.Noted.v1: note is gone', changed((fields) => fields.filter(({ path }) => path !== 'note'))],
  ['test.Noted.v1: id was id and is text', changed(edit('id', { kind: 'text' }))],
  ['test.Noted.v1: items[].count was int and is bigint', changed(edit('items[].count', { kind: 'bigint' }))],
  ['test.Noted.v1: note was optional and is not', changed(edit('note', { optional: false }))],
  ['test.Noted.v1: id was always there and is optional', changed(edit('id', { optional: true }))],
  ['test.Noted.v1: mode no longer takes b', changed(edit('mode', { values: ['a'] }))],
  [
    'test.Noted.v1: more is new and always there',
    changed((fields) => [...fields, { path: 'more', kind: 'int', optional: false, values: [] }]),
  ],
  ['test.Noted.v1: no codec reads it any more', []],
])('shapeFaults reports: %s', (fault, catalogue) => {
  expect(shapeFaults(committed, catalogue)).toStrictEqual([fault]);
});

it('shapeFaults accepts any shape for a new version, keeps the earlier version, and rejects the removal of a version', () => {
  const next = changed((fields) => fields.filter(({ path }) => path !== 'note'), 2);
  expect(shapeFaults(committed, next)).toStrictEqual([]);
  const both = grownShapes(committed, next);
  expect(Object.keys(both)).toStrictEqual(['test.Noted.v1', 'test.Noted.v2']);
  expect(shapeFaults(both, next)).toStrictEqual([]);
  expect(shapeFaults(both, noted)).toStrictEqual(['test.Noted.v2: the newest version is 1, and events of it were written']);
  expect(shapeFaults({}, next)).toStrictEqual(['test.Noted.v1: its shape is not on record']);
});
