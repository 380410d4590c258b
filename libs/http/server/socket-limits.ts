import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
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
export const newestExchangeOf = (socket: Socket): Exchange | undefined => (socket as Counted)[newestExchange];

const refuse = (response: ServerResponse): void => {
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
      refuse(response);
      return;
    }
    response.once('close', () => {
      // Behind one that was refused nothing is served any more.
      if ((socket[openRequests] ?? 0) <= openMax) socket[openRequests] = (socket[openRequests] ?? 1) - 1;
    });
    serve(request, response);
  };
