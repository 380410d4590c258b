import { f, type FieldEntry } from '@app/event-store';
import { concealSealed } from './conceal-sealed';

interface Shape {
  readonly id: string;
  readonly customer: string;
  readonly notes: readonly { readonly by: string; readonly text: string }[];
  readonly answer: { readonly kind: 'yes'; readonly page: string } | { readonly kind: 'no'; readonly page: string };
}

const fields: readonly FieldEntry[] = f.object<Shape>({
  id: f.id(),
  customer: f.sealed<string>(),
  notes: f.list<Shape['notes']>(f.object<Shape['notes'][number]>({ by: f.id(), text: f.sealed<string>() })),
  answer: f.tagged<Shape['answer'], 'kind'>('kind', {
    yes: f.object({ page: f.sealed<string>() }),
    no: f.object({ page: f.sealed<string>() }),
  }),
}).below;

it('marks every sealed field at any depth, and leaves the others unchanged', () => {
  const data: Shape = {
    id: 'one',
    customer: 'AAAA',
    notes: [
      { by: 'two', text: 'BBBB' },
      { by: 'three', text: 'CCCC' },
    ],
    answer: { kind: 'yes', page: 'DDDD' },
  };
  expect(concealSealed(data, fields)).toStrictEqual({
    id: 'one',
    customer: '[sealed]',
    notes: [
      { by: 'two', text: '[sealed]' },
      { by: 'three', text: '[sealed]' },
    ],
    answer: { kind: 'yes', page: '[sealed]' },
  });
});
