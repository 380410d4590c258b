import { f, type FieldEntry } from '@app/event-store';
import { concealSealed } from './sealed-texts';

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

it('concealSealed marks every sealed field at any depth, and leaves the others unchanged', () => {
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

it('concealSealed shows only the end of a token that can charge a card, and other references in full', () => {
  interface Told {
    readonly token: string;
    readonly receipt: { readonly transactionId: string; readonly cardToken: string; readonly networkTransactionId: string };
    readonly tokens: readonly { readonly token: string }[];
  }
  const told: Told = {
    token: 'AB12',
    receipt: { transactionId: 'PNTEST-1', cardToken: '1402817000', networkTransactionId: 'MCC1234567890615' },
    tokens: [{ token: 'X' }],
  };
  const shape = f.object<Told>({
    token: f.gateReference(),
    receipt: f.object<Told['receipt']>({
      transactionId: f.gateReference(),
      cardToken: f.gateReference(),
      networkTransactionId: f.gateReference(),
    }),
    tokens: f.list<Told['tokens']>(f.object<Told['tokens'][number]>({ token: f.gateReference() })),
  });
  expect(concealSealed(told, shape.below)).toStrictEqual({
    token: '…12',
    receipt: { transactionId: 'PNTEST-1', cardToken: '…7000', networkTransactionId: '…0615' },
    tokens: [{ token: '…' }],
  });
});
