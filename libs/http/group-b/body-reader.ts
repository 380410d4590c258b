import type { Request, Response } from 'express';
import { DEVICE_BODY_BYTES_MAX, holdsCardNumberOf, inKib, readJson, SHORT_DEVICE_BODY_BYTES_MAX } from '@app/gateway-protocol';
import { bodyHolder, type ReadBody } from '../server/read-body';
import { AbortedRequest } from '../request/refused-request';
import type { SerialSource } from '../request/serial-source';
import { failed } from './device-answer';
import { TEMPORARILY_UNAVAILABLE, DeviceExchange, type DeviceExchangePorts, type DeviceOperationRow } from './device.exchange';
import { isInvoiceId } from './invoice-id';

const METHOD = 'POST';
/** Room for a body is free again as soon as another request is answered. */
const NO_ROOM_RETRY_MS = 1_000;

const holdLongBody = bodyHolder(DEVICE_BODY_BYTES_MAX);
const holdShortBody = bodyHolder(SHORT_DEVICE_BODY_BYTES_MAX);

export interface BodyReaderPorts extends DeviceExchangePorts {
  readonly serials: SerialSource;
}

/** Reads the JSON body of a request. The exchange begins here, and with it the deadline of the request. */
export class BodyReader {
  constructor(private readonly ports: BodyReaderPorts) {}

  /** Resolves once the exchange has the body's JSON. @throws RefusedRequest, AbortedRequest where the sender closed the connection */
  async read(operation: DeviceOperationRow, request: Request, response: Response): Promise<true> {
    if (request.method !== METHOD) {
      response.setHeader('Allow', METHOD);
      const exchange = DeviceExchange.begin({ operation, request, response }, this.ports);
      throw exchange.refuseInvalid('method-not-allowed', 'The method must be POST');
    }
    const startedAt = performance.now();
    const { read, release: releaseBody } = await (operation.bodyBytesMax === DEVICE_BODY_BYTES_MAX ? holdLongBody : holdShortBody)(request);
    if (read.kind === 'aborted') {
      releaseBody();
      throw new AbortedRequest();
    }
    this.ports.failpoints.reach('P0');
    const exchange = DeviceExchange.begin({ operation, request, response, releaseBody, startedAt }, this.ports);
    exchange.assignSerial(await this.ports.serials.next());
    exchange.json = jsonIn(read, exchange);
    const { invoiceId } = exchange.path;
    if (holdsCardNumberOf(exchange.json, invoiceId)) {
      exchange.isInvoiceIdWithheld = true;
      throw exchange.refuseInvalid('malformed-member', 'invoiceId must not hold the card number');
    }
    if (!isInvoiceId(invoiceId)) throw exchange.refuseInvalid('malformed-member', 'invoiceId is not valid');
    return true;
  }
}

/** @throws RefusedRequest */
const jsonIn = (read: Exclude<ReadBody, { kind: 'aborted' }>, exchange: DeviceExchange): unknown => {
  const { bodyBytesMax } = exchange.operation;
  if (read.kind === 'too-large') throw exchange.refuseInvalid('body-too-large', `The body is larger than ${inKib(bodyBytesMax)}`);
  if (read.kind === 'no-room')
    throw exchange.refuse({ ...failed('no-room', 'INTERNAL_ERROR', TEMPORARILY_UNAVAILABLE), retryAfterMs: NO_ROOM_RETRY_MS });
  if (read.kind === 'unsupported') throw exchange.refuseInvalid('malformed-body', 'Content-Encoding must be identity');
  const json = readJson(read.body);
  if ('refused' in json) throw exchange.refuseInvalid('malformed-body', json.refused.message);
  return json.ok;
};
