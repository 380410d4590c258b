import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { streamName } from '@app/event-store';
import type { Instant, MerchantLogin } from '@app/kernel';
import { questionDigest, readCursor, writeCursor } from './list-orders';

const digestsOf = (key: string) => ({
  onceKey: (kind: string, parts: readonly string[]) =>
    createHmac('sha256', key)
      .update(JSON.stringify([kind, ...parts]))
      .digest('hex'),
});
const digests = digestsOf('ours');
const question = questionDigest(digests, { filter: { merchant: 'acme' as MerchantLogin }, identifiers: { email: 'jane@example.com' } });
const place = fc
  .tuple(fc.nat(4_102_444_800_000), fc.string())
  .map(([createdAt, id]) => ({ createdAt: createdAt as Instant, stream: streamName('payment', id) }));

describe('the cursor of a list', () => {
  it('is read as it was written', () => {
    fc.assert(fc.property(place, (one) => expect(readCursor(digests, writeCursor(digests, one, question), question)).toStrictEqual(one)));
  });

  it('is refused where a character of it was changed', () => {
    fc.assert(
      fc.property(place, fc.nat(), fc.constantFrom(...'aZ09_-.'), (one, at, character) => {
        const written = writeCursor(digests, one, question);
        const index = at % written.length;
        const changed = written.slice(0, index) + character + written.slice(index + 1);
        fc.pre(changed !== written);
        expect(readCursor(digests, changed, question)).toBeUndefined();
      }),
    );
  });

  it('is refused of another question, of another service, and where it is none', () => {
    fc.assert(
      fc.property(place, fc.string({ maxLength: 500 }), (one, text) => {
        const written = writeCursor(digests, one, question);
        const other = questionDigest(digests, { filter: { merchant: 'other' as MerchantLogin }, identifiers: {} });
        expect(readCursor(digests, written, other)).toBeUndefined();
        expect(readCursor(digestsOf('theirs'), written, question)).toBeUndefined();
        expect(readCursor(digests, text, question)).toBeUndefined();
      }),
    );
  });
});

describe('the digest of a question', () => {
  it('is the same in whatever order its parts come, and another for another value or name', () => {
    const merchant = 'acme' as MerchantLogin;
    const one = questionDigest(digests, { filter: { merchant, status: 'approved' }, identifiers: { rrn: '1' } });
    expect(questionDigest(digests, { identifiers: { rrn: '1' }, filter: { status: 'approved', merchant } })).toBe(one);
    for (const identifiers of [{ rrn: '2' }, { receipt: '1' }, {}])
      expect(questionDigest(digests, { filter: { merchant, status: 'approved' }, identifiers })).not.toBe(one);
  });
});
