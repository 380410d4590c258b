import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { writerOf, sendAnswer, HttpReply } from './http-reply';
import { refuseMalformed, withoutDoubtful, closeIdleSockets, IDLE_MS_MAX, withBoundedPipeline } from './socket-limits';

const LOOK_AGAIN_MS = 20;

/**
 * Ends a server although clients keep their connections busy: `Server.close` alone waits until they lose interest. Nothing new is let in, what is under
 * way is answered and its connection closed with it, and what is left after the limit is cut off (safety, F39).
 */
const closeServer = (server: Server, limitMs: number): Promise<void> =>
  new Promise((resolve) => {
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    // Behind the reading of what has come in: a request that waits to be read is none that may be cut off.
    const idle = setInterval(() => setImmediate(() => server.closeIdleConnections()), LOOK_AGAIN_MS);
    const late = setTimeout(() => server.closeAllConnections(), limitMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    });
  });

const HEADER_BYTES_MAX = 8_192;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_INTERVAL_MS = 1_000;
/** Longer than the 60 s for which the usual balancers keep a connection, and longer than answers promise: a late request still meets an open socket. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const REQUESTS_PER_SOCKET_MAX = 1_000;
const CONNECTIONS_MAX = 10_000;
/** How long a stop waits for answers under way (safety, F39). */
const CLOSE_MS_MAX = 10_000;

const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/**
 * The path and query of a request's target; undefined for one that has none. Whose address stands before them decides nothing here, and Express would
 * have it taken apart by a parser that writes what it cannot read to standard error, whatever that is (safety, T31 and T32).
 */
const pathIn = (target: string): string | undefined => {
  if (target.startsWith('/')) return target;
  const authority = AUTHORITY.exec(target)?.[0];
  if (authority === undefined) return undefined;
  const path = target.slice(authority.length);
  return path.startsWith('/') ? path : `/${path}`;
};

const decodes = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * A path that Express can decode: a segment with a malformed escape becomes a NUL, which no id has, so that each interface refuses it in its own form.
 * Express would answer 400 for all of them, before any interface sees the request.
 */
const decodable = (target: string): string => {
  if (!target.includes('%')) return target;
  const [path = '', ...query] = target.split('?');
  const segments = path.split('/').map((segment) => (decodes(segment) ? segment : '%00'));
  return [segments.join('/'), ...query].join('?');
};

const nowhere = (response: ServerResponse): void =>
  sendAnswer(response, { status: 404, contentType: 'text/plain;charset=utf-8', body: 'Not Found\n' });

const byPath =
  (app: express.Express): RequestListener =>
  (request, response) => {
    const path = pathIn(request.url ?? '');
    if (path === undefined) {
      nowhere(response);
      return;
    }
    request.url = decodable(path);
    app(request as express.Request, response as express.Response, () => nowhere(response));
  };

interface Born {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Express gives each request and answer another prototype than they were made with, and what the engine knew of their shape is lost: made as Express
 * has them, they keep it.
 */
const bornOf = (app: express.Express): Born => {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<From extends IncomingMessage = IncomingMessage> extends ServerResponse<From> {}
  app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request) as express.Request;
  app.response = Object.setPrototypeOf(ExpressResponse.prototype, app.response) as express.Response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
};

/** In milliseconds; each has a default, and tests make them short. */
export interface ServerLimits {
  /** For a request in all, from its first byte to its last. */
  readonly requestTimeoutMs?: number;
  /** For a socket on which nothing goes forward. */
  readonly idleMs?: number;
  /** For a socket between two requests. */
  readonly keepAliveMs?: number;
  /** For answers under way when the server is closed. */
  readonly closeMs?: number;
}

/** Of a port that is closed behind all others, when nothing is left to ask: whoever hangs on it delays no end (safety, F39). */
export const CLOSED_LAST: ServerLimits = { closeMs: 1_000 };

/** Express on a server with limits, so that slow and endless requests cost little (safety, T28 and T29). */
export class LimitedExpressAdapter extends ExpressAdapter {
  readonly #limits: Required<ServerLimits>;
  readonly #born: Born;

  constructor(limits: ServerLimits = {}) {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    app.set('query parser', false);
    // Before the first route, when Express makes its router of them: a path is what the interface writes, to the letter.
    app.enable('case sensitive routing');
    app.enable('strict routing');
    super(app);
    this.#born = bornOf(app);
    this.#limits = {
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      idleMs: IDLE_MS_MAX,
      keepAliveMs: KEEP_ALIVE_TIMEOUT_MS,
      closeMs: CLOSE_MS_MAX,
      ...limits,
    };
  }

  /** For every path, not those below the prefix alone: Express answers the others itself, with a page that repeats the path (safety, T50). */
  override setNotFoundHandler(handler: express.Handler): unknown {
    return super.setNotFoundHandler(handler);
  }

  /** What a controller returned: written by the request's own writer where it has one, and as it says where it is a whole reply. */
  override reply(response: express.Response, body: unknown, statusCode?: number): unknown {
    const write = writerOf(response);
    if (write !== undefined) return write(body);
    if (!(body instanceof HttpReply)) return super.reply(response, body, statusCode);
    sendAnswer(response, body);
    return response;
  }

  override initHttpServer(): void {
    const { requestTimeoutMs, idleMs, keepAliveMs } = this.#limits;
    const server = createServer(
      {
        maxHeaderSize: HEADER_BYTES_MAX,
        headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
        requestTimeout: requestTimeoutMs,
        connectionsCheckingInterval: CHECK_INTERVAL_MS,
        keepAliveTimeout: keepAliveMs,
        ...this.#born,
      },
      withBoundedPipeline(withoutDoubtful(byPath(this.getInstance<express.Express>()))),
    );
    closeIdleSockets(server, idleMs);
    refuseMalformed(server);
    server.maxRequestsPerSocket = REQUESTS_PER_SOCKET_MAX;
    server.maxConnections = CONNECTIONS_MAX;
    this.httpServer = server;
  }

  override async close(): Promise<void> {
    const server = this.httpServer as Server | undefined;
    if (server?.listening === true) await closeServer(server, this.#limits.closeMs);
  }
}
