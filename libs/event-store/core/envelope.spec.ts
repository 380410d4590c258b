import { canonicalize } from 'json-canonicalize';
import fc from 'fast-check';
import type { Instant } from '@app/kernel';
import {
  isOfItsStream,
  metadataOf,
  metadataWriter,
  previousHashOf,
  schemaVersionOf,
  type Envelope,
  type CallerTrace,
  readTraceparent,
  traceIdOf,
  traceparentOf,
} from './envelope';
import { EventRefused, type StreamName } from './port';
import { looksLikeCardNumber } from './codec/card-number-guard';

const STREAM = 'order-1' as StreamName;

const envelope: Envelope = {
  correlation: '00000000-0000-0000-0000-0000000000a1',
  causation: 'request "1"',
  actor: 'merchant:acme',
  merchant: 'acme',
  commandId: 'not written',
  recordedAt: 1_700_000_000_000 as Instant,
};

describe('event metadata', () => {
  it('is written in canonical order and read back', () => {
    const hash = 'a'.repeat(64);
    const metadata = metadataWriter(envelope, STREAM)(hash, 12);
    expect(metadata).toBe(
      '{"actor":"merchant:acme","causation":"request \\"1\\"","correlation":"00000000-0000-0000-0000-0000000000a1","merchant":"acme",' +
        `"previousHash":"${hash}","recordedAt":1700000000000,"schemaVersion":12,"stream":"order-1"}`,
    );
    const { commandId, ...written } = envelope;
    expect(commandId).toBe('not written');
    expect(metadataOf({ metadata })).toStrictEqual({ ...written, previousHash: hash, schemaVersion: 12, stream: STREAM });
    expect([previousHashOf({ metadata }), schemaVersionOf({ metadata })]).toStrictEqual([hash, 12]);
  });

  it('contains claimedActor only if an actor was claimed', () => {
    const metadata = metadataWriter({ ...envelope, actor: 'operator:kim', claimedActor: 'jane' }, STREAM)(null, 1);
    expect(metadata).toBe(
      '{"actor":"operator:kim","causation":"request \\"1\\"","claimedActor":"jane","correlation":"00000000-0000-0000-0000-0000000000a1",' +
        '"merchant":"acme","previousHash":null,"recordedAt":1700000000000,"schemaVersion":1,"stream":"order-1"}',
    );
    expect(canonicalize(JSON.parse(metadata))).toBe(metadata);
    expect(metadataOf({ metadata })).toMatchObject({ actor: 'operator:kim', claimedActor: 'jane' });
    expect([previousHashOf({ metadata }), schemaVersionOf({ metadata })]).toStrictEqual([null, 1]);
    expect(metadataOf({ metadata: metadataWriter(envelope, STREAM)(null, 1) })).not.toHaveProperty('claimedActor');
  });

  it('contains the caller trace of the request only if the request had one', () => {
    const callerTrace = '4bf92f3577b34da6a3ce929d0e0e4736-01' as CallerTrace;
    const metadata = metadataWriter({ ...envelope, callerTrace }, STREAM)(null, 1);
    expect(metadata).toBe(
      '{"actor":"merchant:acme","callerTrace":"4bf92f3577b34da6a3ce929d0e0e4736-01","causation":"request \\"1\\"",' +
        '"correlation":"00000000-0000-0000-0000-0000000000a1","merchant":"acme","previousHash":null,"recordedAt":1700000000000,' +
        '"schemaVersion":1,"stream":"order-1"}',
    );
    expect(canonicalize(JSON.parse(metadata))).toBe(metadata);
    expect(metadataOf({ metadata }).callerTrace).toBe(callerTrace);
    expect([previousHashOf({ metadata }), schemaVersionOf({ metadata })]).toStrictEqual([null, 1]);
    expect(metadataWriter({ ...envelope, callerTrace: undefined }, STREAM)(null, 1)).toBe(metadataWriter(envelope, STREAM)(null, 1));
  });

  const fake = `x","previousHash":"${'b'.repeat(64)}","recordedAt":1,"schemaVersion":9,"stream":"order-2"}`;
  it.each([
    ['its texts', { actor: fake, merchant: fake }, STREAM],
    ['the name of its stream', {}, `order-${fake}` as StreamName],
    ['a name with every sign that JSON escapes', {}, 'order-"\\\n\u2028😀' as StreamName],
  ])('yields version, previous hash and stream when read from its end, regardless of %s', (_, change, stream) => {
    const metadata = metadataWriter({ ...envelope, ...change }, stream)(null, 1);
    expect([previousHashOf({ metadata }), schemaVersionOf({ metadata })]).toStrictEqual([null, 1]);
    expect(isOfItsStream({ metadata, stream })).toBe(true);
    expect(isOfItsStream({ metadata, stream: 'order-2' as StreamName })).toBe(false);
    expect(metadataOf({ metadata }).stream).toBe(stream);
  });

  it('without a stream name, as older releases wrote it, is readable and valid for any stream', () => {
    const metadata = metadataWriter(envelope, STREAM)('a'.repeat(64), 7).replace(',"stream":"order-1"', '');
    expect(metadata).toMatch(/"schemaVersion":7\}$/);
    expect([previousHashOf({ metadata }), schemaVersionOf({ metadata })]).toStrictEqual(['a'.repeat(64), 7]);
    expect(isOfItsStream({ metadata, stream: 'order-2' as StreamName })).toBe(true);
  });

  it.each([
    ['causation', 'a text of at most 256 characters is expected', { causation: 'x'.repeat(257) }],
    ['correlation', 'a text of at most 256 characters is expected', { correlation: 'x'.repeat(257) }],
    ['merchant', 'a text of at most 256 characters is expected', { merchant: 'x'.repeat(257) }],
    ['actor', 'looks like a card number', { actor: '4111111111111111' }],
    ['claimedActor', 'looks like a card number', { claimedActor: '4111111111111111' }],
    ['recordedAt', 'a whole number is expected', { recordedAt: 1.5 as Instant }],
  ])('names the refused member in the error: %s', (name, message, change) =>
    expect(() => metadataWriter({ ...envelope, ...change }, STREAM)).toThrow(new EventRefused(`metadata.${name}: ${message}`)),
  );

  it('accepts texts of 256 characters, and a correlation that looks like a card number', () => {
    const change = { causation: 'x'.repeat(256), correlation: '4111111111111111' };
    expect(metadataOf({ metadata: metadataWriter({ ...envelope, ...change }, STREAM)(null, 1) })).toMatchObject(change);
  });

  it.each(['', '}', '"}', '{"schemaVersion":0}', '{"schemaVersion":1 }', '{"schemaVersion":1234567}'])(
    'in a format of another writer has no version and no previous hash: %j',
    (metadata) => expect([schemaVersionOf({ metadata }), previousHashOf({ metadata })]).toStrictEqual([undefined, undefined]),
  );

  it.each([
    ['a text too long', { causation: 'x'.repeat(257) }],
    ['half a surrogate pair', { merchant: '\udfff' }],
    ['a card number as the actor', { actor: '4111 1111 1111 1111' }],
    ['a card number as the claimed actor', { claimedActor: '4111111111111111' }],
    ['a card number as a trace', { callerTrace: '4111111111111111-00' as CallerTrace }],
    ['no text', { correlation: undefined as unknown as string }],
    ['a time that is no whole number', { recordedAt: 1.5 as Instant }],
  ])('refuses %s, without the value in the error', (_, change) => {
    const writing = (): unknown => metadataWriter({ ...envelope, ...change }, STREAM);
    expect(writing).toThrow(EventRefused);
    expect(writing).not.toThrow(/4111|xxx/);
  });
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SERIAL = '00000000-0000-0000-0000-0000000000a1';

const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const notZero = (length: number): fc.Arbitrary<string> => hex(length).filter((text) => !/^0*$/.test(text));
const spans = (...bytes: readonly number[]) => ({ bytes: (size: number) => Uint8Array.from({ length: size }, (_, at) => bytes[at] ?? 0) });

describe('traceparent', () => {
  it('is read with any ids and flags, keeps only the sampled flag, and is sent with a new span id', () => {
    fc.assert(
      fc.property(notZero(32), notZero(16), hex(2), fc.uint8Array({ minLength: 8, maxLength: 8 }), (traceId, spanId, flags, bytes) => {
        const isSampled = parseInt(flags, 16) % 2 === 1;
        const expected = `${traceId}-${isSampled ? '01' : '00'}`;
        fc.pre(!looksLikeCardNumber(expected));
        const trace = readTraceparent(`00-${traceId}-${spanId}-${flags}`);
        expect(trace).toBe(expected);
        expect(traceIdOf(trace as CallerTrace)).toBe(traceId);
        const out = traceparentOf({ correlation: SERIAL, callerTrace: trace }, { bytes: () => bytes });
        expect(readTraceparent(out)).toBe(expected);
      }),
    );
  });

  it('in any other form is ignored without an error', () => {
    const wellFormed = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
    const mangled = fc
      .tuple(fc.constant(`00-${TRACE}-${SPAN}-01`), fc.nat(54), fc.string({ unit: 'binary', maxLength: 2 }))
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(mangled, fc.string({ unit: 'binary', maxLength: 60 })), (text) => {
        fc.pre(!wellFormed.test(text));
        expect(readTraceparent(text)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['another version', `01-${TRACE}-${SPAN}-01`],
    ['the version that is forbidden', `ff-${TRACE}-${SPAN}-01`],
    ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['one with text after it', `00-${TRACE}-${SPAN}-01-more`],
    ['two in one', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['several', [`00-${TRACE}-${SPAN}-01`]],
    ['a line feed at its end', `00-${TRACE}-${SPAN}-1\n`],
    ['a very long one', `00-${TRACE}-${SPAN}-01`.padEnd(1_000_000, '0')],
    ['a card number as its id', `00-4111111111111111${'a'.repeat(16)}-${SPAN}-01`],
    ['a card number that the flags would complete', `00-${'a'.repeat(18)}41111111111114-${SPAN}-00`],
  ])('is not read from %s', (_, header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });

  it('is derived from the request serial, not sampled, if the request had no traceparent', () => {
    expect(traceparentOf({ correlation: SERIAL }, spans(1, 2, 3))).toBe('00-000000000000000000000000000000a1-0102030000000000-00');
  });

  it('never has an all-zero span id, even if the random bytes are all zero', () => {
    const callerTrace = `${TRACE}-01` as CallerTrace;
    expect(traceparentOf({ correlation: SERIAL, callerTrace }, spans())).toBe(`00-${TRACE}-0000000000000001-01`);
  });

  it.each([
    ['no UUID', 'golden'],
    ['the UUID of zeros', '00000000-0000-0000-0000-000000000000'],
  ])('is omitted if the correlation of the request is %s', (_, correlation) => {
    expect(traceparentOf({ correlation }, spans(1))).toBeUndefined();
  });

  it('is not built from a malformed stored trace, so that it cannot inject a header', () => {
    const callerTrace = `${TRACE}-01\r\nx: y` as CallerTrace;
    expect(traceparentOf({ correlation: SERIAL, callerTrace }, spans(1))).toBe('00-000000000000000000000000000000a1-0100000000000000-00');
  });
});
