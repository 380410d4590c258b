import type { ServerResponse } from 'node:http';
import { HttpStatus } from '@nestjs/common';

/** On every answer of ours: nothing is guessed, kept or framed (safety, T21). */
const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  // Less than the server keeps it: who uses a connection for as long as he was told never meets its end.
  'Keep-Alive': 'timeout=4',
};
const NOTHING_ALLOWED = "default-src 'none'";

const REQUEST_ID = 'X-Request-Id';

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly policy?: string;
  /** Beside those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What logs name the request by; absent where it got no name, or shall not be told it. */
  readonly requestId?: string | undefined;
}

/** Writes one answer; a client that has gone away is not our failure. */
export const sendAnswer = (response: ServerResponse, { status, contentType, body, policy, headers: own, requestId }: HttpAnswer): void => {
  if (response.headersSent || response.destroyed) return;
  const headers: Record<string, string | number> = {
    ...own,
    'Content-Security-Policy': policy ?? NOTHING_ALLOWED,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    ...COMMON_HEADERS,
  };
  if (requestId !== undefined) headers[REQUEST_ID] = requestId;
  response.writeHead(status, headers);
  response.end(body);
};

export const HTML_TYPE = 'text/html;charset=utf-8';

const JSON_TYPE = 'application/json;charset=utf-8';

/** The JSON body of a refusal. */
export interface Refused {
  readonly error: string;
  /** The index of orders lacks part of the log, so that an order may exist and not be found yet. */
  readonly index?: 'behind' | 'missing';
}

/**
 * What a controller returns if its answer is no plain object: the adapter writes it as it is, with the headers of every answer. `Body` and `Status` are for
 * the compiler and for the OpenAPI document, which takes the schema of an answer from the return type of its handler; a refusal needs no mention there.
 */
export class HttpReply<Body = unknown, Status extends number = number> implements HttpAnswer {
  /** A method, because its parameters are compared in both directions: a status is often looked up in a table. */
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

  /** One line of JSON. */
  static json<Body>(status: number, body: NoInfer<Body | Refused>, headers?: Readonly<Record<string, string>>): HttpReply<Body> {
    return new HttpReply({ status, contentType: JSON_TYPE, body: `${JSON.stringify(body)}\n`, ...(headers !== undefined && { headers }) });
  }

  /** @param policy Content-Security-Policy of the page */
  static page(status: number, body: string, policy: string, headers?: Readonly<Record<string, string>>): HttpReply {
    return new HttpReply({ status, contentType: HTML_TYPE, body, policy, ...(headers !== undefined && { headers }) });
  }

  /** A path that is an operation, asked in another way (protocol decisions, section 1). @param allowed as the header names the methods */
  static methodNotAllowed(allowed: string): HttpReply {
    return new HttpReply({
      status: HttpStatus.METHOD_NOT_ALLOWED,
      contentType: 'text/plain;charset=utf-8',
      body: 'Method Not Allowed\n',
      headers: { Allow: allowed },
    });
  }
}

const WRITER = Symbol('answer writer');

/** A property of the response itself: a weak map of as many short-lived keys costs the collector more than the answer costs. */
interface Written extends ServerResponse {
  [WRITER]?: (value: unknown) => void;
}

/** From now on what a controller returns for the request is written by `write`, in place of the framework's own ways. */
export const writeAnswersOf = (response: ServerResponse, write: (value: unknown) => void): void => {
  (response as Written)[WRITER] = write;
};

/** What writes the answers to a request; undefined where the framework does. */
export const writerOf = (response: ServerResponse): ((value: unknown) => void) | undefined => (response as Written)[WRITER];
