import * as fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const CODE_POINT_MAX = 0x10ffff;

const textOf = (index: number): string => String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES);
const indexOf = (text: unknown): number => {
  const codePoint = typeof text === 'string' ? text.codePointAt(0) : undefined;
  const index = codePoint === undefined || codePoint < SURROGATES_FROM ? codePoint : codePoint - SURROGATES;
  if (index === undefined || textOf(index) !== text) throw new Error('not a single code point');
  return index;
};

/**
 * Any valid code point, as the `unit` of `fc.string`. The unit `binary` first lists all 1,112,064 of them, a second of CPU per test file.
 */
export const codePoint: fc.Arbitrary<string> = fc.nat(CODE_POINT_MAX - SURROGATES).map(textOf, indexOf);

const escaped = fc.string({ unit: codePoint, maxLength: 8 }).map(encodeURIComponent);

/** Like `fc.webUrl` with path, query and fragment, but without the slow unit `binary`. */
export const webAddress: fc.Arbitrary<string> = fc
  .record({
    scheme: fc.constantFrom('http', 'https'),
    host: fc.domain(),
    path: fc.array(escaped, { maxLength: 4 }).map((segments) => segments.map((segment) => `/${segment}`).join('')),
    query: fc.option(
      escaped.map((text) => `?${text}`),
      { nil: '' },
    ),
    fragment: fc.option(
      escaped.map((text) => `#${text}`),
      { nil: '' },
    ),
  })
  .map(({ scheme, host, path, query, fragment }) => `${scheme}://${host}${path}${query}${fragment}`);
