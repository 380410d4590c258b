import fc from 'fast-check';
import { v5 } from 'uuid';
import { codePoint } from '@app/testing/any-text';
import { base32, fromBase32, eventId, categoryOf, streamName } from './names-and-ids';
import type { StreamName } from './port';

describe('base32', () => {
  it('decodes to the bytes that were encoded', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => expect(fromBase32(base32(bytes))).toStrictEqual(bytes)));
  });

  it.each([
    ['a letter of upper case', 'MY'],
    ['a letter outside the alphabet', 'm1'],
    ['padding', 'my======'],
    ['bits set after its last byte', 'mz'],
    ['a letter too many', 'mya'],
  ])('is not decoded if it has %s', (_, text) => {
    expect(() => fromBase32(text)).toThrow(new Error('not a text in base 32'));
  });
});

const NAMESPACE = '5c1a6f0e-2d9b-4f7a-8e3c-b04d7a91f6e2';

describe('streamName', () => {
  it('returns the category, a hyphen and 52 characters of base32', () => {
    const name = streamName('payment', 'acme', '902B4FF5');
    expect(name).toMatch(/^payment-[a-z2-7]{52}$/);
    expect(categoryOf(name)).toBe('payment');
    expect(streamName('payment', 'acme', '902B4FF5')).toBe(name);
  });

  it('returns the same name and event ids in every release, so that an accepted order is always found', () => {
    const name = 'payment-nhubh67kh4j5iuas6dwwk5nyqf2mqeavvjfqbh4plgkdhxjwra6q';
    expect(streamName('payment', 'acme', '902B4FF5')).toBe(name);
    expect(eventId(name as StreamName, 'command-1', 2)).toBe('4ddcaaec-ed67-5997-81a6-738eaba88ad3');
  });

  it('differs if the same text is split into different parts', () => {
    const parts = fc.array(fc.string({ unit: codePoint, maxLength: 6 }), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(streamName('payment', ...a) === streamName('payment', ...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 2_000 },
    );
    expect(streamName('payment', '1', '23')).not.toBe(streamName('payment', '12', '3'));
    expect(streamName('payment', 'a:1', 'b')).not.toBe(streamName('payment', 'a', '1:b'));
  });

  it.each(['pay-ment', '', '$payment', 'pay ment'])('refuses the category %j', (category) => {
    expect(() => streamName(category, 'acme')).toThrow('not a category');
  });

  it('encodes base32 as in RFC 4648', () => {
    const vectors = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)));
    expect(vectors).toStrictEqual(['', 'my', 'mzxq', 'mzxw6', 'mzxw6yq', 'mzxw6ytb', 'mzxw6ytboi']);
  });
});

describe('eventId', () => {
  it('is the UUIDv5 of stream, command id and index', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 20 }), fc.nat(100), (commandId, index) => {
        const stream = streamName('payment', 'acme', commandId);
        const name = `${Buffer.byteLength(stream)}:${stream}${Buffer.byteLength(commandId)}:${commandId}${index}`;
        expect(eventId(stream, commandId, index)).toBe(v5(name, NAMESPACE));
      }),
    );
  });
});
