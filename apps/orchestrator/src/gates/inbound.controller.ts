import { All, Controller, HttpStatus, Inject, NotFoundException, Param, Req } from '@nestjs/common';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { isUtf8 } from 'node:buffer';
import { RequestDeadlines } from '@app/event-store';
import type { InboundReply, InboundRequest } from '@app/gateway-adapters/contract';
import { bodyReader, HttpReply, type ReadBody } from '@app/http/server';
import type { GateAlias } from '@app/kernel';
import { HandleGateNotification, isStoreAway, EarlyReportsFull, type GateNotificationListener, type NotifiedRequest } from '@app/orders';
import { GATE_NOTIFICATION_LISTENER } from '@app/orders/orders.tokens';
import { parseForm } from '@app/gateway-protocol';
import { decodePayerLink } from '@app/orders/http';
import { GATES_PATH } from './gates.module';

interface UnreadableRequest {
  readonly status: 400 | 415;
}

const SEGMENTS_MAX = 16;
const UTF8_NAMES: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);
const MALFORMED: UnreadableRequest = { status: 400 };

/** Undefined for a charset other than UTF-8. */
const mediaTypeOf = (header: string): string | undefined => {
  const [type = '', ...parameters] = header.toLowerCase().split(';', SEGMENTS_MAX);
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const name = charset?.slice('charset='.length).replace(/^"(.*)"$/, '$1');
  return name === undefined || UTF8_NAMES.has(name) ? type.trim() : undefined;
};

/** A repeated name keeps both values, so that neither is taken for the only one. */
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

interface ReadInbound {
  readonly notified: NotifiedRequest | undefined;
  readonly request: InboundRequest;
}

/**
 * Reads a request strictly and in linear time, because it is not authenticated yet.
 * @param segments decoded, below the gate's address
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

const BODY_BYTES_MAX = 65_536;
const readBody = bodyReader(BODY_BYTES_MAX);
const TEXT_TYPE = 'text/plain;charset=utf-8';

const plain = (status: number): HttpReply =>
  new HttpReply({ status, contentType: TEXT_TYPE, body: `${STATUS_CODES[status] ?? 'Error'}\n` });

const BODY_REFUSALS: Readonly<Record<Exclude<ReadBody['kind'], 'read'>, HttpReply>> = {
  'too-large': plain(HttpStatus.PAYLOAD_TOO_LARGE),
  'no-room': plain(HttpStatus.SERVICE_UNAVAILABLE),
  unsupported: plain(HttpStatus.UNSUPPORTED_MEDIA_TYPE),
  aborted: plain(HttpStatus.BAD_REQUEST),
};

const isStatus = (status: number): boolean => Number.isInteger(status) && status >= 200 && status <= 599;

const replyOf = ({ status, contentType = TEXT_TYPE, body = '' }: InboundReply): HttpReply => {
  if (!isStatus(status)) throw new Error('an adapter answered with an invalid HTTP status');
  return new HttpReply({ status, contentType, body });
};

/** Notifications from gates. A gate without notifications gets the same 404 as an unknown one. */
@Controller(GATES_PATH)
export class InboundController {
  constructor(
    @Inject(HandleGateNotification) private readonly notifications: HandleGateNotification,
    @Inject(RequestDeadlines) private readonly deadlines: RequestDeadlines,
    @Inject(GATE_NOTIFICATION_LISTENER) private readonly listener: GateNotificationListener,
  ) {}

  @All(':gate{/*path}')
  hear(@Param('gate') alias: string, @Param('path') path: readonly string[] | undefined, @Req() request: Request): Promise<HttpReply> {
    const gate = alias as GateAlias;
    if (!this.notifications.listens(gate)) throw new NotFoundException();
    if (request.method !== 'GET' && request.method !== 'POST') return Promise.resolve(HttpReply.methodNotAllowed('GET, POST'));
    return readBody(request, (read) => this.reply(gate, path ?? [], request, read));
  }

  private async reply(gate: GateAlias, path: readonly string[], message: Request, read: ReadBody): Promise<HttpReply> {
    if (read.kind !== 'read') return BODY_REFUSALS[read.kind];
    const inbound = readInbound(message, path, read.body);
    if ('status' in inbound) return plain(inbound.status);
    try {
      const { notified, request } = inbound;
      const answered = await this.deadlines.within((deadline) => this.notifications.hear({ gate, notified, request, deadline }));
      return answered === undefined ? plain(HttpStatus.NOT_FOUND) : replyOf(answered);
    } catch (error) {
      this.listener.notificationFailed(gate, error, inbound.notified?.stream);
      const isPassing = isStoreAway(error) || error instanceof EarlyReportsFull;
      return plain(isPassing ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.INTERNAL_SERVER_ERROR);
    }
  }
}
