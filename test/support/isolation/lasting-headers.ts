import type { HttpAnswer } from '../http/http-client';

/**
 * Headers that two answers to one request share: without time, length, request id, and the closing headers of a connection's thousandth
 * request.
 */
export const lastingHeaders = (headers: HttpAnswer['headers']): object => {
  const { date: _date, 'content-length': _length, connection: _connection, 'keep-alive': _keepAlive, ...others } = headers;
  const isOwnId = others['x-request-id'] !== undefined;
  return { ...others, ...(isOwnId && { 'x-request-id': 'of this request' }) };
};
