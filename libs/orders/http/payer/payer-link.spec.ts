import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { ORDER_KINDS, type AttemptKey } from '@app/kernel';
import { streamName } from '@app/event-store';
import { PAYER_PAGE_CHARACTERS } from '@app/configuration';
import { PayerPages, decodePayerLink, encodePayerLink, PAYER_LINK_CHARACTERS, readPayerLink } from './payer-link';

const links = () =>
  fc.record({
    stream: fc
      .tuple(fc.constantFrom(...Object.values(ORDER_KINDS)), fc.string({ maxLength: 20 }))
      .map(([kind, invoiceId]) => streamName(kind, 'acme', invoiceId)),
    key: fc.uuid().map((key) => key as AttemptKey),
  });

describe('readPayerLink', () => {
  const KEY = '01234567-89ab-cdef-0123-456789abcdef';

  it('accepts the stream of every kind of order', () => {
    for (const kind of Object.values(ORDER_KINDS)) {
      const stream = streamName(kind, 'acme', 'inv-1');
      expect(readPayerLink(stream, KEY)).toStrictEqual({ stream, key: KEY });
    }
  });

  it.each([
    ['a stream that is not an order’s', streamName('delivery', 'acme', 'inv-1'), KEY],
    ['a stream with more after it', `${streamName('payment', 'acme', 'inv-1')}a`, KEY],
    ['a key in capitals', streamName('payment', 'acme', 'inv-1'), KEY.toUpperCase()],
    ['an empty key', streamName('payment', 'acme', 'inv-1'), ''],
  ])('returns undefined for %s', (_difference, stream, key) => {
    expect(readPayerLink(stream, key)).toBeUndefined();
  });
});

describe('an encoded payer link', () => {
  it('decodes to its stream and key for every kind of order', () => {
    fc.assert(
      fc.property(links(), ({ stream, key }) => {
        const text = encodePayerLink(stream, key);
        expect(text).toHaveLength(PAYER_LINK_CHARACTERS);
        expect(decodePayerLink(text)).toStrictEqual({ stream, key });
      }),
    );
  });

  it('has one valid text, and altered texts do not decode', () => {
    const text = encodePayerLink(streamName('payment', 'acme', 'inv-1'), '00000000-0000-0000-0000-000000000000' as AttemptKey);
    expect(text.endsWith('AA')).toBe(true);
    expect(decodePayerLink(`${text.slice(0, -1)}B`)).toBeUndefined();
    for (const wrong of ['', 'x', `q${text.slice(1)}`, `${text}A`, text.slice(1), `${text.slice(0, -1)}=`, `p${'*'.repeat(65)}`])
      expect([wrong, decodePayerLink(wrong)]).toStrictEqual([wrong, undefined]);
  });

  it('cannot be made for another kind of stream', () => {
    expect(() => encodePayerLink(streamName('delivery', 'a'), '00000000-0000-0000-0000-000000000000' as AttemptKey)).toThrow(
      'no kind of order',
    );
  });

  it('leaves a redirectUrl within 128 characters for a base address of 55 (interface, section 3.2)', () => {
    const url = new PayerPages(`https://${'g'.repeat(40)}/paynet`).startUrl(
      streamName('deviceVerification', 'acme', 'inv-1'),
      '01234567-89ab-cdef-0123-456789abcdef' as AttemptKey,
    );
    expect(url).toHaveLength(128);
    expect('/payer/'.length + PAYER_LINK_CHARACTERS).toBe(PAYER_PAGE_CHARACTERS);
  });
});

it('the example in docs/api/sale.md contains a valid payer link', () => {
  const page = readFileSync(resolve(__dirname, '../../../../docs/api/sale.md'), 'utf8');
  const [, shown = ''] = /redirect-to=(\S+)/.exec(page) ?? [];
  const path = new URL(decodeURIComponent(shown)).pathname.split('/');
  expect(path.slice(0, -1)).toStrictEqual(['', 'paynet', 'payer']);
  expect(decodePayerLink(path.at(-1) ?? '')).toBeDefined();
});
