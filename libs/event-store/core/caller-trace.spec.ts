import fc from 'fast-check';
import { readTraceparent, traceIdOf, traceparentOf, type CallerTrace } from './caller-trace';
import { looksLikeCardNumber } from './codec/card-number-guard';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SERIAL = '00000000-0000-0000-0000-0000000000a1';

const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const notZero = (length: number): fc.Arbitrary<string> => hex(length).filter((text) => !/^0*$/.test(text));
const spans = (...bytes: readonly number[]) => ({ bytes: (size: number) => Uint8Array.from({ length: size }, (_, at) => bytes[at] ?? 0) });

describe('a traceparent', () => {
  it('is read with any ids and flags, keeps the sampled flag alone, and is sent on with a new span id', () => {
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
    ['one with more behind it', `00-${TRACE}-${SPAN}-01-more`],
    ['two in one', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['several', [`00-${TRACE}-${SPAN}-01`]],
    ['a line feed at its end', `00-${TRACE}-${SPAN}-1\n`],
    ['a very long one', `00-${TRACE}-${SPAN}-01`.padEnd(1_000_000, '0')],
    ['a card number as its id', `00-4111111111111111${'a'.repeat(16)}-${SPAN}-01`],
    ['a card number that the flags would complete', `00-${'a'.repeat(18)}41111111111114-${SPAN}-00`],
  ])('is not read from %s', (_, header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });

  it('is made from the serial of the request, not sampled, where the request brought none', () => {
    expect(traceparentOf({ correlation: SERIAL }, spans(1, 2, 3))).toBe('00-000000000000000000000000000000a1-0102030000000000-00');
  });

  it('never has a span id of zeros, even where the random bytes are zero', () => {
    const callerTrace = `${TRACE}-01` as CallerTrace;
    expect(traceparentOf({ correlation: SERIAL, callerTrace }, spans())).toBe(`00-${TRACE}-0000000000000001-01`);
  });

  it.each([
    ['no UUID', 'golden'],
    ['the UUID of zeros', '00000000-0000-0000-0000-000000000000'],
  ])('is left out where the request is named by %s', (_, correlation) => {
    expect(traceparentOf({ correlation }, spans(1))).toBeUndefined();
  });

  it('is not made from a stored trace that is malformed, since it is written into a header', () => {
    const callerTrace = `${TRACE}-01\r\nx: y` as CallerTrace;
    expect(traceparentOf({ correlation: SERIAL, callerTrace }, spans(1))).toBe('00-000000000000000000000000000000a1-0100000000000000-00');
  });
});
