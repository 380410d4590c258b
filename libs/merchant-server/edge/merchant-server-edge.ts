import type { Request, Response } from 'express';
import { OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import {
  MERCHANT_SERVER_BODY_BYTES_MAX,
  DEVICE_BODY_BYTES_MAX,
  deviceErrorBody,
  HTTP_STATUS_OF_CAUSE,
  INVOICE_ID_LENGTH_MAX,
  makeErrorCode,
  type MerchantCause,
} from '@app/gateway-protocol';
import type { Product } from '@app/configuration';
import { bodyReader, sendAnswer, type ReadBody } from '@app/http/server';
import { invalid, type MerchantServerAnswer } from './request';
import { SERVED_OPERATIONS, type MerchantServerOperationEntry, type MerchantServerOperationName } from './operations';
import type { MerchantServerRoute } from './routes';
import type { MountableMerchantServer } from './mountable-merchant-server';

/** The merchant server's log; the only data it gets from a request is the product. */
export interface MerchantServerLog {
  info(event: string, facts: Readonly<Record<string, unknown>>): void;
  failure(event: string, error: unknown, facts: Readonly<Record<string, unknown>>): void;
}

export interface ServedMerchantServerRequest {
  readonly operation: MerchantServerOperationName;
  readonly outcome: 'answered' | 'forbidden' | MerchantCause;
  readonly durationMs: number;
}

const OK = 200;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const METHOD_NOT_ALLOWED = 405;
const TOO_LARGE = 413;
const JSON_TYPE = 'application/json;charset=utf-8';
const TEXT_TYPE = 'text/plain;charset=utf-8';

const READERS = {
  [MERCHANT_SERVER_BODY_BYTES_MAX]: bodyReader(MERCHANT_SERVER_BODY_BYTES_MAX),
  [DEVICE_BODY_BYTES_MAX]: bodyReader(DEVICE_BODY_BYTES_MAX),
} as const;
const EMPTY: ReadBody = { kind: 'read', body: new Uint8Array(0) };
const NO_ROOM_SECONDS = '1';

/** A callback contains the whole order; any other request contains a few identifiers. */
const bytesMaxOf = (operation: MerchantServerOperationName): keyof typeof READERS =>
  operation === 'callback' ? DEVICE_BODY_BYTES_MAX : MERCHANT_SERVER_BODY_BYTES_MAX;

/** Standalone, the body is unread. In a product's server, Nest has read it and keeps the bytes only with `rawBody`. */
const withBody = (request: Request, bytesMax: keyof typeof READERS, use: (read: ReadBody) => Promise<void>): Promise<void> => {
  const { rawBody } = request as { rawBody?: unknown };
  if (Buffer.isBuffer(rawBody)) return use(rawBody.byteLength > bytesMax ? { kind: 'too-large' } : { kind: 'read', body: rawBody });
  if (!request.readableEnded) return READERS[bytesMax](request, use);
  if (request.method === 'GET') return use(EMPTY);
  throw new Error('the body was read before and its bytes are gone: create the application with { rawBody: true }');
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const queryOf = ({ url }: Request): URLSearchParams => {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
};

/** The request is unauthenticated, so its path is echoed only if it can be an invoiceId. */
const repeatable = (invoiceId: string | undefined): string | undefined =>
  invoiceId !== undefined && invoiceId.length <= INVOICE_ID_LENGTH_MAX && invoiceId.isWellFormed() ? invoiceId : undefined;

interface Served {
  readonly operation: MerchantServerOperationName;
  readonly product: Product;
  readonly invoiceId: string | undefined;
  readonly beganAt: number;
}

/** Translates between HTTP and the operations of the merchant server (protocol decisions, section 8). */
export class MerchantServerEdge {
  constructor(
    private readonly server: MountableMerchantServer,
    private readonly log: MerchantServerLog,
    private readonly onServed: (served: ServedMerchantServerRequest) => void = () => undefined,
  ) {}

  async serve({ operation, login, invoiceId }: MerchantServerRoute, request: Request, response: Response): Promise<void> {
    const beganAt = performance.now();
    const { products } = this.server;
    const product = login === undefined ? products.all[0] : products.product(login);
    if (product === undefined) return sendAnswer(response, { status: NOT_FOUND, contentType: TEXT_TYPE, body: 'Not Found\n' });
    const served = { operation, product, invoiceId, beganAt };
    const { methods, run }: MerchantServerOperationEntry = SERVED_OPERATIONS[operation];
    if (!methods.includes(request.method)) {
      response.setHeader('Allow', methods.join(', '));
      return this.send(response, served, invalid(`the method must be ${methods.join(' or ')}`), METHOD_NOT_ALLOWED);
    }
    try {
      await withBody(request, bytesMaxOf(operation), (read) => this.answer(read, run, served, request, response));
    } catch (error) {
      const isStoreAway = error instanceof StoreUnavailable || error instanceof OutcomeUnknown;
      const cause: MerchantCause = isStoreAway ? 'SERVER_UNAVAILABLE' : 'SERVER_FAILED';
      const message = isStoreAway ? 'try again later' : 'internal error';
      this.send(response, served, { kind: 'failed', cause, message }, undefined, error);
    }
  }

  private async answer(
    read: ReadBody,
    run: MerchantServerOperationEntry['run'],
    served: Served,
    request: Request,
    response: Response,
  ): Promise<void> {
    switch (read.kind) {
      case 'aborted':
        return;
      case 'too-large':
        return this.send(response, served, invalid(`body must not be longer than ${bytesMaxOf(served.operation)} bytes`), TOO_LARGE);
      case 'no-room':
        response.setHeader('Retry-After', NO_ROOM_SECONDS);
        return this.send(response, served, { kind: 'failed', cause: 'SERVER_UNAVAILABLE', message: 'try again later' });
      case 'unsupported':
        return this.send(response, served, invalid('body must not be encoded'));
      case 'read': {
        const header = (name: string): string | undefined => textOf(request.headers[name]);
        const answer = await run(this.server, { ...served, method: request.method, query: queryOf(request), header, body: read.body });
        return this.send(response, served, answer);
      }
    }
  }

  private send(
    response: Response,
    { operation, product, invoiceId, beganAt }: Served,
    answer: MerchantServerAnswer,
    code?: number,
    error?: unknown,
  ): void {
    const outcome = answer.kind === 'failed' ? answer.cause : answer.kind;
    this.onServed({ operation, outcome, durationMs: performance.now() - beganAt });
    const facts = { operation, product: product.login };
    switch (answer.kind) {
      case 'answered':
        return sendAnswer(response, { status: OK, contentType: JSON_TYPE, body: JSON.stringify(answer.body) });
      case 'forbidden':
        this.log.info('merchant-server.forbidden', { ...facts, ...(answer.reason !== undefined && { reason: answer.reason }) });
        return sendAnswer(response, { status: FORBIDDEN, contentType: TEXT_TYPE, body: '' });
      case 'failed': {
        const { cause, message } = answer;
        const failure = { cause, message, code: makeErrorCode((size) => this.server.random.bytes(size)) };
        const details = { ...facts, cause, code: failure.code };
        if (error === undefined) this.log.info('merchant-server.refused', details);
        else this.log.failure('merchant-server.failed', error, details);
        const body = JSON.stringify(deviceErrorBody(failure, repeatable(invoiceId)));
        return sendAnswer(response, { status: code ?? HTTP_STATUS_OF_CAUSE[cause], contentType: JSON_TYPE, body });
      }
    }
  }
}
