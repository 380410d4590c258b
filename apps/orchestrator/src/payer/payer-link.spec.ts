import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { ORDER_KINDS, type AttemptKey } from '@app/kernel';
import { streamName } from '@app/event-store';
import { PAYER_PAGE_CHARACTERS } from '@app/configuration';
import { PayerPages } from './payer-pages';
import { placeOf, PLACE_CHARACTERS, readPlace } from './payer-link';

const place = () =>
  fc.record({
    stream: fc
      .tuple(fc.constantFrom(...Object.values(ORDER_KINDS)), fc.string({ maxLength: 20 }))
      .map(([kind, invoiceId]) => streamName(kind, 'acme', invoiceId)),
    key: fc.uuid().map((key) => key as AttemptKey),
  });

describe('where a payer’s page lies', () => {
  it('is read back from its text, for every kind of order', () => {
    fc.assert(
      fc.property(place(), ({ stream, key }) => {
        const text = placeOf(stream, key);
        expect(text).toHaveLength(PLACE_CHARACTERS);
        expect(readPlace(text)).toStrictEqual({ stream, key });
      }),
    );
  });

  it('has one text: any other that means the same bytes leads nowhere', () => {
    const text = placeOf(streamName('payment', 'acme', 'inv-1'), '00000000-0000-0000-0000-000000000000' as AttemptKey);
    expect(text.endsWith('AA')).toBe(true);
    expect(readPlace(`${text.slice(0, -1)}B`)).toBeUndefined();
    for (const wrong of ['', 'x', `q${text.slice(1)}`, `${text}A`, text.slice(1), `${text.slice(0, -1)}=`, `p${'*'.repeat(65)}`])
      expect([wrong, readPlace(wrong)]).toStrictEqual([wrong, undefined]);
  });

  it('is no place of a stream that is no order', () => {
    expect(() => placeOf(streamName('delivery', 'a'), '00000000-0000-0000-0000-000000000000' as AttemptKey)).toThrow('no kind of order');
  });

  it('lets a redirectUrl stay within 128 characters for a base address of 55 (interface, section 3.2)', () => {
    const url = new PayerPages(`https://${'g'.repeat(40)}/paynet`).startUrl(
      streamName('deviceVerification', 'acme', 'inv-1'),
      '01234567-89ab-cdef-0123-456789abcdef' as AttemptKey,
    );
    expect(url).toHaveLength(128);
    expect('/payer/'.length + PLACE_CHARACTERS).toBe(PAYER_PAGE_CHARACTERS);
  });
});

it('is what the page of the API shows', () => {
  const page = readFileSync(resolve(__dirname, '../../../../docs/api/sale.md'), 'utf8');
  const [, shown = ''] = /redirect-to=(\S+)/.exec(page) ?? [];
  const path = new URL(decodeURIComponent(shown)).pathname.split('/');
  expect(path.slice(0, -1)).toStrictEqual(['', 'paynet', 'payer']);
  expect(readPlace(path.at(-1) ?? '')).toBeDefined();
});
