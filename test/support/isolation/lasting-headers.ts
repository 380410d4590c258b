import type { HttpAnswer } from '../http/http-client';

/**
 * The headers of an answer that another answer to the same request must have too: without its time, its length, the id of this one request, and those
 * of a connection's thousandth request, which is its last.
 */
export const lastingHeaders = (headers: HttpAnswer['headers']): object => {
  const { date: _date, 'content-length': _length, connection: _connection, 'keep-alive': _keepAlive, ...others } = headers;
  const isOwnId = others['x-request-id'] !== undefined;
  return { ...others, ...(isOwnId && { 'x-request-id': 'of this request' }) };
};
