const HIDDEN = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const LINE = 'POST /paynet/api/v2/status/1001 HTTP/1.1\r\n';
const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n';
const HEAD = `${LINE}Host: x\r\n${FORM}`;
const NO_CHUNKS = '0\r\n\r\n';

const withHeader = (header: string, body = NO_CHUNKS): string => `${HEAD}${header}\r\n\r\n${body}${HIDDEN}`;
const chunked = (body: string): string => `${HEAD}Transfer-Encoding: chunked\r\n\r\n${body}${HIDDEN}`;

export const TWO_REQUESTS = withHeader('Content-Length: 5', 'a=123');

/**
 * Requests whose end depends on the reader. Each must get exactly one refusal, so that the rest is never read as a request (safety, T28;
 * RFC 9112, sections 6.3 and 11.2).
 */
export const SMUGGLING_CASES: readonly (readonly [title: string, text: string])[] = [
  // Two lengths, or an invalid one
  ['two lengths', withHeader('Content-Length: 5\r\nContent-Length: 60', 'a=123')],
  ['one length twice', withHeader('Content-Length: 5\r\nContent-Length: 5', 'a=123')],
  ['two lengths in one header', withHeader('Content-Length: 5, 5', 'a=123')],
  ['a length with a sign', withHeader('Content-Length: +5', 'a=123')],
  ['a negative length', withHeader('Content-Length: -1', '')],
  ['a length in hexadecimal', withHeader('Content-Length: 0x5', 'a=123')],
  ['a length with a fraction', withHeader('Content-Length: 5.0', 'a=123')],
  ['a length with a blank within', withHeader('Content-Length: 5 0', 'a=123')],
  ['a length of other digits', withHeader('Content-Length: \u00b2', 'a=')],
  ['a length beyond 64 bits', withHeader('Content-Length: 99999999999999999999999', 'a=1')],
  ['a length of 2^64 and 5', withHeader('Content-Length: 18446744073709551621', 'a=123')],
  ['an empty length', withHeader('Content-Length:', 'a=123')],
  ['a length and a word', withHeader('Content-Length: 5;a', 'a=123')],
  // A length and chunks
  ['a length, then chunks', withHeader('Content-Length: 5\r\nTransfer-Encoding: chunked')],
  ['chunks, then a length', withHeader('Transfer-Encoding: chunked\r\nContent-Length: 5')],
  ['a length of zero, then chunks', withHeader('Content-Length: 0\r\nTransfer-Encoding: chunked')],
  ['a length and a coding that is no chunks', withHeader('Content-Length: 5\r\nTransfer-Encoding: identity', 'a=123')],
  // Invalid chunks
  ['a coding that is unknown', withHeader('Transfer-Encoding: xchunked')],
  ['identity', withHeader('Transfer-Encoding: identity', 'a=123')],
  ['chunks that are not last', withHeader('Transfer-Encoding: chunked, identity')],
  ['chunks that are compressed after', withHeader('Transfer-Encoding: chunked, gzip')],
  ['chunks twice', withHeader('Transfer-Encoding: chunked, chunked')],
  ['chunks and something else in two headers', withHeader('Transfer-Encoding: chunked\r\nTransfer-Encoding: x')],
  ['chunks in quotes', withHeader('Transfer-Encoding: "chunked"')],
  ['chunks with a parameter', withHeader('Transfer-Encoding: chunked;a=b')],
  ['an empty coding', withHeader('Transfer-Encoding:')],
  ['chunks after a vertical tab', withHeader('Transfer-Encoding: \u000bchunked')],
  ['chunks in HTTP/1.0 with a length', withHeader('Content-Length: 5\r\nTransfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0')],
  // Header names and lines
  ['a blank before the colon', withHeader('Content-Length : 5', 'a=123')],
  ['a tab before the colon', withHeader('Transfer-Encoding\t: chunked')],
  ['a blank before the name', withHeader(' Content-Length: 5', 'a=123')],
  ['a folded header', withHeader('X-Folded: a\r\n Content-Length: 5', 'a=123')],
  ['a header without a colon', withHeader('Content-Length 5', 'a=123')],
  ['a header without a name', withHeader(': 5', '')],
  ['a NUL in a name', withHeader('Content\0-Length: 5', 'a=123')],
  ['a NUL in a value', withHeader('X-Nul: a\0b', '')],
  ['a carriage return in a value', withHeader('X-Return: a\rContent-Length: 5', 'a=123')],
  ['lines that end in a line feed without carriage return', withHeader('X-Feed: a\nContent-Length: 5', 'a=123')],
  ['an underscore for a hyphen in brackets', withHeader('[Content-Length]: 5', 'a=123')],
  // Chunk sizes
  ['a chunk of no size', chunked(`zz\r\na=1\r\n${NO_CHUNKS}`)],
  ['a chunk of an empty size', chunked(`\r\na=1\r\n${NO_CHUNKS}`)],
  ['a chunk of a signed size', chunked(`+3\r\na=1\r\n${NO_CHUNKS}`)],
  ['a chunk of a size with a prefix', chunked(`0x3\r\na=1\r\n${NO_CHUNKS}`)],
  ['a chunk of a size beyond 64 bits', chunked(`10000000000000003\r\na=1\r\n${NO_CHUNKS}`)],
  ['a chunk longer than its size', chunked(`3\r\na=1234\r\n${NO_CHUNKS}`)],
  ['a chunk whose size ends in a line feed without carriage return', chunked(`3\na=1\r\n${NO_CHUNKS}`)],
  ['a chunk that ends in a line feed without carriage return', chunked(`3\r\na=1\n${NO_CHUNKS}`)],
  ['a chunk of a blank size', chunked(` 3\r\na=1\r\n${NO_CHUNKS}`)],
  // Request lines
  ['two targets', `POST /paynet/api/v2/status/1001 /health/live HTTP/1.1\r\nHost: x\r\n\r\n${HIDDEN}`],
  ['no version', `POST /paynet/api/v2/status/1001\r\nHost: x\r\n\r\n${HIDDEN}`],
  ['a version of another protocol', `POST /paynet/api/v2/status/1001 ICE/1.1\r\nHost: x\r\n\r\n${HIDDEN}`],
  ['a line feed in the target', `POST /paynet\n/api/v2/status/1001 HTTP/1.1\r\nHost: x\r\n\r\n${HIDDEN}`],
  ['the preface of HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${HIDDEN}`],
  ['no HTTP', `HELLO\r\n\r\n${HIDDEN}`],
  ['no host', `${LINE}${FORM}Content-Length: 5\r\n\r\na=123${HIDDEN}`],
];
