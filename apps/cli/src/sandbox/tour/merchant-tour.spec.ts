import fc from 'fast-check';
import { autoSubmittingPage, messagePage } from '@app/gateway-protocol';
import { webAddress } from '@app/testing/any-text';
import { formOf } from './merchant-tour';

it('parses every auto-submitting form that the service renders', () => {
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

it('returns undefined for a page without a form', () => {
  expect(formOf(messagePage({ title: 'x', message: '<form>' }))).toBeUndefined();
});
