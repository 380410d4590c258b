import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

export const IDLE_MS_MAX = 30_000;
/** Unanswered requests per connection. Known clients pipeline only a few. */
export const OPEN_REQUESTS_MAX = 16;
const SERVICE_UNAVAILABLE = 503;

/** Waits for pending reads: timers run first, and closing a socket with an unread request resets its sender. */
const onceRead = (act: () => void): void => {
  setImmediate(() => setImmediate(act));
};

/** Closes sockets without progress in every state, including unread responses. A socket with new bytes is kept. */
export const closeIdleSockets = (server: Server, idleMs: number): void => {
  server.setTimeout(idleMs, (socket: Socket) => {
    const { bytesRead, timeout } = socket;
    onceRead(() => {
      if (socket.destroyed) return;
      if (socket.bytesRead === bytesRead) socket.destroy();
      else if (socket.timeout === timeout) socket.setTimeout(timeout ?? idleMs);
    });
  });
};

const openRequests = Symbol('openRequests');
const newestExchange = Symbol('newestExchange');

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly isAlone: boolean;
}

type Counted = Socket & { [openRequests]?: number; [newestExchange]?: Exchange };

const newestExchangeOf = (socket: Socket): Exchange | undefined => (socket as Counted)[newestExchange];

const refuseRequest = (response: ServerResponse): void => {
  response.writeHead(SERVICE_UNAVAILABLE, { Connection: 'close', 'Content-Length': 0 });
  response.end();
};

/**
 * Limits open requests per connection. The next one is refused after the earlier responses and ends the connection; its
 * body is not read.
 */
export const withBoundedPipeline =
  (serve: RequestListener, openMax = OPEN_REQUESTS_MAX): RequestListener =>
  (request, response) => {
    const socket: Counted = request.socket;
    const open = (socket[openRequests] ?? 0) + 1;
    socket[openRequests] = open;
    socket[newestExchange] = { request, response, isAlone: open === 1 };
    if (open > openMax) {
      if (open > openMax + 1) return;
      socket.pause();
      refuseRequest(response);
      return;
    }
    response.once('close', () => {
      if ((socket[openRequests] ?? 0) <= openMax) socket[openRequests] = (socket[openRequests] ?? 1) - 1;
    });
    serve(request, response);
  };

/** How long input is read and dropped after a refusal. */
const LINGER_MS = 2_000;

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const BAD_REQUEST = 400;

const refused = Symbol('refused');
type Refused = Socket & { [refused]?: true };

const refusalOf = (code: string | undefined): string => {
  const status = STATUS_OF[code ?? ''] ?? BAD_REQUEST;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`;
};

/** Closing a socket with unread bytes resets the peer, which may then lose the response (RFC 9112, section 9.6). */
const linger = (socket: Socket, refusal: string): void => {
  const late = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(late));
  socket.removeAllListeners('data').on('data', () => undefined);
  socket.once('end', () => socket.destroy());
  if (socket.writable) socket.end(refusal);
  socket.resume();
};

const refuse = (socket: Socket, refusal: string): void => {
  const newest = newestExchangeOf(socket);
  if (newest === undefined || newest.response.closed) linger(socket, refusal);
  // The malformed bytes follow a valid request, whose sender must not mistake the refusal for its response.
  else if (newest.request.complete) newest.response.once('close', () => linger(socket, refusal));
  else if (newest.response.headersSent) newest.response.once('close', () => linger(socket, ''));
  else if (newest.isAlone) linger(socket, refusal);
  else socket.destroy();
};

const VERSIONS = new Set(['1.0', '1.1']);

/** The end of such a request is ambiguous, which allows request smuggling (RFC 9112, section 6.3). */
const isDoubtful = ({ httpVersion, headers: { 'transfer-encoding': coding } }: IncomingMessage): boolean =>
  !VERSIONS.has(httpVersion) || (coding !== undefined && coding.toLowerCase() !== 'chunked');

/**
 * Refuses requests with an ambiguous end and everything after them. The parser emits some of them before it detects
 * malformed input.
 */
export const withoutDoubtful =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    const socket: Refused = request.socket;
    if (socket[refused] === true) return;
    if (!isDoubtful(request)) {
      serve(request, response);
      return;
    }
    socket[refused] = true;
    response.writeHead(BAD_REQUEST, { Connection: 'close' });
    response.end();
  };

/**
 * Refuses malformed HTTP with 400, 408, 413 or 431 like the server itself, but after pending responses and so that a
 * sender that still writes can read it.
 */
export const refuseMalformed = (server: Server): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Refused) => {
    if (socket[refused] === true) return;
    socket[refused] = true;
    if (error.code === 'ECONNRESET' || socket.destroyed) socket.destroy();
    else refuse(socket, refusalOf(error.code));
  });
};
