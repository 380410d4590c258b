import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DEVICE_BODY_BYTES_MAX, holdsCardNumberOf, inKib, readJson, SHORT_DEVICE_BODY_BYTES_MAX } from '@app/gateway-protocol';
import { bodyHolder, type ReadBody } from '@app/http-server';
import type { SerialSource } from '../request/serial-source';
import { failed } from './device-answer';
import { AWAY, DeviceExchange, type DeviceExchangePorts, type DeviceOperationRow } from './device.exchange';
import { tellableInvoiceId } from './invoice-id';
import { AbortedRequest } from './refused-request';
import { operationOf } from './served-operation';

const METHOD = 'POST';
/** For who comes while there is no room for his body. */
const NO_ROOM_MS = 1_000;

const holdLong = bodyHolder(DEVICE_BODY_BYTES_MAX);
const holdShort = bodyHolder(SHORT_DEVICE_BODY_BYTES_MAX);

export interface BodyReadingPorts extends DeviceExchangePorts {
  readonly serials: SerialSource;
}

/** Reads the bodies of requests; whatever becomes of one, it has a deadline from then on. */
export class BodyReading {
  constructor(private readonly ports: BodyReadingPorts) {}

  /** @returns once the exchange has the body's JSON. @throws RefusedRequest, and AbortedRequest for a sender who has gone away */
  async read(operation: DeviceOperationRow, request: Request, response: Response): Promise<true> {
    if (request.method !== METHOD) {
      response.setHeader('Allow', METHOD);
      const exchange = DeviceExchange.begin({ operation, request, response }, this.ports);
      throw exchange.refuseInvalid('method-not-allowed', 'The method must be POST');
    }
    const startedAt = performance.now();
    const body = await (operation.bodyBytesMax === DEVICE_BODY_BYTES_MAX ? holdLong : holdShort)(request);
    const { read } = body;
    if (read.kind === 'aborted') {
      body.release();
      throw new AbortedRequest();
    }
    this.ports.failpoints.reach('P0');
    const exchange = DeviceExchange.begin({ operation, request, response, body, startedAt }, this.ports);
    exchange.named(await this.ports.serials.next());
    exchange.json = jsonIn(read, exchange);
    const { invoiceId } = exchange.path;
    if (holdsCardNumberOf(exchange.json, invoiceId)) {
      exchange.isInvoiceUntold = true;
      throw exchange.refuseInvalid('malformed-member', 'invoiceId must not hold the card number');
    }
    if (tellableInvoiceId(invoiceId) === undefined) throw exchange.refuseInvalid('malformed-member', 'invoiceId is not valid');
    return true;
  }
}

/** The first of the guards: it alone may wait for bytes, and nobody is asked for anything before they are counted. */
@Injectable()
export class BodyReader implements CanActivate {
  constructor(@Inject(BodyReading) private readonly bodies: BodyReading) {}

  canActivate(context: ExecutionContext): Promise<true> {
    return this.bodies.read(operationOf(context), context.getArgByIndex<Request>(0), context.getArgByIndex<Response>(1));
  }
}

/** @throws RefusedRequest */
const jsonIn = (read: Exclude<ReadBody, { kind: 'aborted' }>, exchange: DeviceExchange): unknown => {
  const { bodyBytesMax } = exchange.operation;
  if (read.kind === 'too-large') throw exchange.refuseInvalid('body-too-large', `The body is larger than ${inKib(bodyBytesMax)}`);
  if (read.kind === 'no-room') throw exchange.refuse({ ...failed('no-room', 'INTERNAL_ERROR', AWAY), retryAfterMs: NO_ROOM_MS });
  if (read.kind === 'unsupported') throw exchange.refuseInvalid('malformed-body', 'Content-Encoding must be identity');
  const json = readJson(read.body);
  if ('refused' in json) throw exchange.refuseInvalid('malformed-body', json.refused.message);
  return json.ok;
};
