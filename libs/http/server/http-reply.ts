import { HttpStatus } from '@nestjs/common';
import { HTML_TYPE, type HttpAnswer } from './http-answer';

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
