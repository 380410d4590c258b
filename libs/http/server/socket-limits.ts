import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** A socket on which nothing goes forward for so long is closed, whatever it waits for. */
export const IDLE_MS_MAX = 30_000;
/** Requests of one connection that are not answered yet. No client that we know of sends more than a few ahead. */
export const OPEN_REQUESTS_MAX = 16;
const SERVICE_UNAVAILABLE = 503;

/** Lets what has come in by now be read first: timers run before that, and what is closed under an unread request is a reset to its sender. */
const onceRead = (act: () => void): void => {
  setImmediate(() => setImmediate(act));
};

/**
 * Closes sockets on which nothing goes forward, in whatever state: before, within and between requests, and where an answer is not read. One on which
 * something has come in at the last moment is kept.
 */
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
  /** No request before it on its connection waits for an answer. */
  readonly isAlone: boolean;
}

type Counted = Socket & { [openRequests]?: number; [newestExchange]?: Exchange };

/** What was requested last on a connection, and is answered or not; undefined before the first whole head. */
const newestExchangeOf = (socket: Socket): Exchange | undefined => (socket as Counted)[newestExchange];

const refuseRequest = (response: ServerResponse): void => {
  response.writeHead(SERVICE_UNAVAILABLE, { Connection: 'close', 'Content-Length': 0 });
  response.end();
};

/**
 * Serves so many requests of a connection at a time: the next one is told so, after those before it, and ends the connection; what was sent behind it
 * is dropped. Nothing of what is not served is read.
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
      // Behind one that was refused nothing is served any more.
      if ((socket[openRequests] ?? 0) <= openMax) socket[openRequests] = (socket[openRequests] ?? 1) - 1;
    });
    serve(request, response);
  };

/** How long what a sender still writes is taken in and dropped after its refusal. */
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

/** A socket that is closed with bytes unread resets its peer, which then drops an answer that it has not read yet (RFC 9112, section 9.6). */
const linger = (socket: Socket, refusal: string): void => {
  const late = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(late));
  // Nothing of it reaches the parser again.
  socket.removeAllListeners('data').on('data', () => undefined);
  socket.once('end', () => socket.destroy());
  if (socket.writable) socket.end(refusal);
  socket.resume();
};

const refuse = (socket: Socket, refusal: string): void => {
  const newest = newestExchangeOf(socket);
  if (newest === undefined || newest.response.closed) linger(socket, refusal);
  // Malformed is what came behind this request, which was served and must not take the refusal for its answer.
  else if (newest.request.complete) newest.response.once('close', () => linger(socket, refusal));
  else if (newest.response.headersSent) newest.response.once('close', () => linger(socket, ''));
  else if (newest.isAlone) linger(socket, refusal);
  else socket.destroy();
};

const VERSIONS = new Set(['1.0', '1.1']);

/** Where it ends is not clear, or was to another server that it came through (RFC 9112, section 6.3). */
const isDoubtful = ({ httpVersion, headers: { 'transfer-encoding': coding } }: IncomingMessage): boolean =>
  !VERSIONS.has(httpVersion) || (coding !== undefined && coding.toLowerCase() !== 'chunked');

/** Serves no request whose end is in doubt, nor anything behind one: the parser hands some over before it finds what follows malformed. */
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
 * Refuses what is no request of HTTP as the server itself would, 400, 408, 413 or 431 without a body, but so that its sender reads that also where it
 * still writes, and behind the answers that are still to come on its connection.
 */
export const refuseMalformed = (server: Server): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Refused) => {
    if (socket[refused] === true) return;
    socket[refused] = true;
    if (error.code === 'ECONNRESET' || socket.destroyed) socket.destroy();
    else refuse(socket, refusalOf(error.code));
  });
};
