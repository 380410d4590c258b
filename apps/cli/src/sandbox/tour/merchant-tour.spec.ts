import fc from 'fast-check';
import { autoSubmittingPage, messagePage } from '@app/gateway-protocol';
import { webAddress } from '@app/testing/any-text';
import { formOf } from './merchant-tour';

it('reads back every form that the service makes', () => {
  const names = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(names, fc.string()), { selector: ([name]) => name, maxLength: 5 }),
      webAddress,
      (fields, action) => {
        expect(formOf(autoSubmittingPage({ title: 'x', message: 'x', action, fields }))).toStrictEqual({ action, fields: new Map(fields) });
      },
    ),
  );
});

it('finds no form in a page without one', () => {
  expect(formOf(messagePage({ title: 'x', message: '<form>' }))).toBeUndefined();
});
