import { HttpStatus } from '@nestjs/common';
import { HTML_TYPE, type HttpAnswer } from './http-answer';

const JSON_TYPE = 'application/json;charset=utf-8';

/** What a controller returns where its answer is no plain object: the adapter writes it as it stands, with the headers that every answer of ours has. */
export class HttpReply implements HttpAnswer {
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
  static json(status: number, body: object, headers?: Readonly<Record<string, string>>): HttpReply {
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
