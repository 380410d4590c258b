import type { ServerResponse } from 'node:http';
import { HttpStatus } from '@nestjs/common';

/** On every response: no sniffing, caching or framing (safety, T21). Only files without data name another `Cache-Control`. */
const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  // Shorter than the server's timeout, so that clients do not reuse a connection while it closes.
  'Keep-Alive': 'timeout=4',
};
const NOTHING_ALLOWED = "default-src 'none'";

const REQUEST_ID = 'X-Request-Id';

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly policy?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The id of the request in logs; absent if it has none or the client must not see it. */
  readonly requestId?: string | undefined;
}

/** Ignores errors of a client that disconnected. */
export const sendAnswer = (response: ServerResponse, { status, contentType, body, policy, headers: own, requestId }: HttpAnswer): void => {
  if (response.headersSent || response.destroyed) return;
  const headers: Record<string, string | number> = {
    ...COMMON_HEADERS,
    ...own,
    'Content-Security-Policy': policy ?? NOTHING_ALLOWED,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
  };
  if (requestId !== undefined) headers[REQUEST_ID] = requestId;
  response.writeHead(status, headers);
  response.end(body);
};

export const HTML_TYPE = 'text/html;charset=utf-8';

const JSON_TYPE = 'application/json;charset=utf-8';

export interface Refused {
  readonly error: string;
  /** The order index lacks part of the log, so an existing order may not be found. */
  readonly index?: 'behind' | 'missing';
}

/**
 * A complete response from a controller. The type parameters only give the OpenAPI document the schema of the response.
 */
export class HttpReply<Body = unknown, Status extends number = number> implements HttpAnswer {
  /** A method, so that its parameters are compared bivariantly: a status often comes from a table. */
  declare readonly documents?: { answers(body: Body, status: Status): void };
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly policy?: string;
  readonly headers?: Readonly<Record<string, string>>;

  constructor({ status, contentType, body, policy, headers }: Omit<HttpAnswer, 'requestId'>) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    if (policy !== undefined) this.policy = policy;
    if (headers !== undefined) this.headers = headers;
  }

  static json<Body>(status: number, body: NoInfer<Body | Refused>, headers?: Readonly<Record<string, string>>): HttpReply<Body> {
    return new HttpReply({ status, contentType: JSON_TYPE, body: `${JSON.stringify(body)}\n`, ...(headers !== undefined && { headers }) });
  }

  static page(status: number, body: string, policy: string, headers?: Readonly<Record<string, string>>): HttpReply {
    return new HttpReply({ status, contentType: HTML_TYPE, body, policy, ...(headers !== undefined && { headers }) });
  }

  /**
   * 405 for a known path (protocol decisions, section 1).
   * @param allowed value of the `Allow` header
   */
  static methodNotAllowed(allowed: string): HttpReply {
    return new HttpReply({
      status: HttpStatus.METHOD_NOT_ALLOWED,
      contentType: 'text/plain;charset=utf-8',
      body: 'Method Not Allowed\n',
      headers: { Allow: allowed },
    });
  }
}

/** An answer without an end, of which the controller has begun nothing yet. */
export class HttpStream<Item = unknown> extends HttpReply<Item> {
  /** @param begin writes to the response, whose headers are sent */
  constructor(
    contentType: string,
    private readonly begin: (response: ServerResponse) => void,
  ) {
    super({ status: HttpStatus.OK, contentType, body: '' });
  }

  open(response: ServerResponse): void {
    if (response.destroyed) return;
    response.writeHead(this.status, {
      'Content-Security-Policy': NOTHING_ALLOWED,
      'Content-Type': this.contentType,
      // A proxy that buffers would hold the events back.
      'X-Accel-Buffering': 'no',
      ...COMMON_HEADERS,
    });
    // Its reader takes only the headers.
    if (response.req.method === 'HEAD') response.end();
    else this.begin(response);
  }
}

const WRITER = Symbol('answer writer');

/** A property of the response: a WeakMap with many short-lived keys is expensive for the garbage collector. */
interface Written extends ServerResponse {
  [WRITER]?: (value: unknown) => void;
}

/** From now on `write` writes the controller's result for this response. */
export const writeAnswersOf = (response: ServerResponse, write: (value: unknown) => void): void => {
  (response as Written)[WRITER] = write;
};

export const writerOf = (response: ServerResponse): ((value: unknown) => void) | undefined => (response as Written)[WRITER];
