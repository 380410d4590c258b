import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { writerOf, sendAnswer, HttpReply, HttpStream } from './http-reply';
import { refuseMalformed, withoutDoubtful, closeIdleSockets, IDLE_MS_MAX, withBoundedPipeline } from './socket-limits';

const LOOK_AGAIN_MS = 20;

/**
 * Closes a server even if clients keep connections busy. It accepts nothing new, finishes current responses, and cuts
 * off the rest after the limit (safety, F39).
 */
const closeServer = (server: Server, limitMs: number): Promise<void> =>
  new Promise((resolve) => {
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    // Runs after pending reads: a request that waits to be read must not be cut off.
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
/**
 * Longer than the 60 s of common load balancers and than our `Keep-Alive` header promises, so a late request still
 * finds an open socket.
 */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const REQUESTS_PER_SOCKET_MAX = 1_000;
const CONNECTIONS_MAX = 10_000;
/** Maximum wait for current responses at shutdown (safety, F39). */
const CLOSE_MS_MAX = 10_000;

const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/**
 * Path and query of a request's target; undefined if it has none. The host is ignored, because Express's URL parser
 * writes malformed hosts to standard error (safety, T31 and T32).
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
 * Replaces a malformed escape with a NUL, which no id contains, so that each interface refuses it in its own format.
 * Express would answer 400 itself.
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
 * Creates requests and responses with Express's prototypes. Changing the prototype later makes V8 drop their optimised
 * shape.
 */
const bornOf = (app: express.Express): Born => {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<From extends IncomingMessage = IncomingMessage> extends ServerResponse<From> {}
  app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request) as express.Request;
  app.response = Object.setPrototypeOf(ExpressResponse.prototype, app.response) as express.Response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
};

/** In milliseconds. */
export interface ServerLimits {
  readonly requestTimeoutMs?: number;
  readonly idleMs?: number;
  readonly keepAliveMs?: number;
  readonly closeMs?: number;
}

/** For a port that closes last. Its open connections must not delay shutdown (safety, F39). */
export const CLOSED_LAST: ServerLimits = { closeMs: 1_000 };

/** Express on a server with limits against slow and endless requests (safety, T28 and T29). */
export class LimitedExpressAdapter extends ExpressAdapter {
  readonly #limits: Required<ServerLimits>;
  readonly #born: Born;

  constructor(limits: ServerLimits = {}) {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    app.set('query parser', false);
    // Before the first route, because Express creates its router there. Paths are case-sensitive in the interface.
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

  /** For all paths, not only those below the prefix: Express's own 404 page repeats the path (safety, T50). */
  override setNotFoundHandler(handler: express.Handler): unknown {
    return super.setNotFoundHandler(handler);
  }

  /** Uses the request's own writer if there is one, and writes an `HttpReply` as it is. */
  override reply(response: express.Response, body: unknown, statusCode?: number): unknown {
    const write = writerOf(response);
    if (write !== undefined) return write(body);
    if (!(body instanceof HttpReply)) return super.reply(response, body, statusCode);
    if (body instanceof HttpStream) body.open(response);
    else sendAnswer(response, body);
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
