import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parseForm } from '@app/gateway-protocol';
import type { InboundRequest } from '@app/gateway-adapters/contract';
import type { NotifiedRequest } from '@app/orders';
import { decodePayerLink } from '@app/orders/http';

/** What cannot be read in one way only, by the status of its refusal. */
export interface UnreadableRequest {
  readonly status: 400 | 415;
}

/** Below the gate's own address. */
const SEGMENTS_MAX = 16;
const UTF8_NAMES: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);
const MALFORMED: UnreadableRequest = { status: 400 };

/** The media type in lower case; undefined where its charset is another than UTF-8. */
const mediaTypeOf = (header: string): string | undefined => {
  const [type = '', ...parameters] = header.toLowerCase().split(';', SEGMENTS_MAX);
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const name = charset?.slice('charset='.length).replace(/^"(.*)"$/, '$1');
  return name === undefined || UTF8_NAMES.has(name) ? type.trim() : undefined;
};

/** A name that comes twice has both values, so that neither of them is taken for the only one. */
const headersOf = ({ headersDistinct }: IncomingMessage): ReadonlyMap<string, string> =>
  new Map(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]));

const rawQueryOf = ({ url = '' }: IncomingMessage): string => {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
};

const queryOf = (rawQuery: string): ReadonlyMap<string, string> | undefined => {
  const parsed = parseForm(Buffer.from(rawQuery));
  return 'ok' in parsed ? new Map(parsed.ok) : undefined;
};

/** A request to a gate's address as its adapter hears it, and the request of ours that the address names. */
export interface ReadInbound {
  readonly notified: NotifiedRequest | undefined;
  readonly request: InboundRequest;
}

/**
 * Reads a request strictly and in linear time: nobody is authenticated yet.
 * @param segments decoded, below the gate's own address
 */
export const readInbound = (message: IncomingMessage, segments: readonly string[], body: Uint8Array): ReadInbound | UnreadableRequest => {
  if (segments.length > SEGMENTS_MAX || segments.some((segment) => segment.includes('\0'))) return MALFORMED;
  const rawQuery = rawQueryOf(message);
  const query = queryOf(rawQuery);
  if (query === undefined || !isUtf8(body)) return MALFORMED;
  const contentType = mediaTypeOf(message.headers['content-type'] ?? '');
  if (contentType === undefined) return { status: 415 };
  const [first, ...below] = segments;
  const notified = first === undefined ? undefined : decodePayerLink(first);
  const request: InboundRequest = {
    method: message.method === 'POST' ? 'POST' : 'GET',
    ...(notified !== undefined && { about: notified.key }),
    path: notified === undefined ? segments : below,
    query,
    rawQuery,
    headers: headersOf(message),
    contentType,
    body: Buffer.from(body).toString('utf8'),
  };
  return { notified, request };
};
