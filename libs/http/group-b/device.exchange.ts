import { HttpStatus } from '@nestjs/common';
import type { Request } from 'express';
import {
  INVOICE_ID_LENGTH_MAX,
  deviceErrorBody,
  holdsCardNumberOf,
  HTTP_STATUS_OF_CAUSE,
  inKib,
  makeErrorCode,
  readDeviceMessage,
  readJson,
  type GroupBOperation,
  type GroupBOperationName,
} from '@app/gateway-protocol';
import type { MerchantLogin, OrderId } from '@app/kernel';
import type { Dialect } from '../request/body.guard';
import {
  Exchange,
  type ArrivedRequest,
  type FailureName as SharedFailure,
  type RenderedAnswer,
  type ServedRequest,
} from '../request/exchange';
import { failed, type Cause, type DeviceAnswer, type Failed, type FailureName } from './device-answer';
import type { AuthenticRequest, DevicePath, DeviceRequest } from './device-request';

const CONTROL_CHARACTER = /\p{Cc}/u;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** An invoice id is used in URL paths and in signed texts (safety, T4 and T18). */
export const isInvoiceId = (text: string): boolean => {
  const isSegment = text !== '' && text.length <= INVOICE_ID_LENGTH_MAX && text !== '.' && text !== '..';
  return isSegment && !CONTROL_CHARACTER.test(text) && !LONE_SURROGATE.test(text);
};

const JSON_TYPE = 'application/json;charset=utf-8';

const TEMPORARILY_UNAVAILABLE = 'Temporarily unavailable, nothing was accepted';
const MESSAGES: Readonly<Record<SharedFailure, string>> = {
  'no-room': TEMPORARILY_UNAVAILABLE,
  'rate-limited': 'Too many requests, nothing was accepted',
  'temporarily-unavailable': TEMPORARILY_UNAVAILABLE,
  'acceptance-unknown': 'It is not known whether this was accepted: repeat the request unchanged',
  internal: 'Internal error',
};

/** Statuses that do not depend on `groupB.httpErrors`. */
const STATUS_OF: Readonly<Partial<Record<FailureName, HttpStatus>>> = {
  'body-too-large': HttpStatus.PAYLOAD_TOO_LARGE,
  'no-room': HttpStatus.SERVICE_UNAVAILABLE,
  'method-not-allowed': HttpStatus.METHOD_NOT_ALLOWED,
};

export type DeviceOperationRow = GroupBOperation & { readonly name: GroupBOperationName };

/**
 * A JSON request. A failure has a cause of its operation and a unique code, which is also logged (interface, section
 * 7.2; protocol decisions, section 8).
 */
export class DeviceExchange extends Exchange<DeviceOperationRow, DeviceAnswer<Cause>> {
  protected readonly group = 'b';
  readonly path = pathOf(this.arrived.request);
  request: DeviceRequest<object> | undefined;
  authentic: AuthenticRequest | undefined;
  /** The invoice id contains the card number of the request, so no response repeats it. */
  #isInvoiceIdWithheld = false;

  get merchant(): MerchantLogin {
    return this.admit().merchant;
  }

  admit(): AuthenticRequest {
    if (this.authentic === undefined) throw new Error('a request that was not authenticated');
    return this.authentic;
  }

  refuseInvalid(name: FailureName, message: string): never {
    return this.refuse(failed(name, 'INVALID_REQUEST', message));
  }

  /** Before authentication, since the signature and the session are members. */
  protected readBody(body: Uint8Array): void {
    const { path, serial, callerTrace, deadline } = this;
    const { operation } = this.arrived;
    const json = readJson(body);
    if ('refused' in json) return this.refuse(this.malformed(json.refused.message));
    if (holdsCardNumberOf(json.ok, path.invoiceId)) {
      this.#isInvoiceIdWithheld = true;
      return this.refuseInvalid('malformed-member', 'invoiceId must not hold the card number');
    }
    if (!isInvoiceId(path.invoiceId)) return this.refuseInvalid('malformed-member', 'invoiceId is not valid');
    const message = readDeviceMessage(operation.message, json.ok);
    if ('refused' in message) return this.refuseInvalid('malformed-member', message.refused.message);
    this.ports.failpoints.reach('P1');
    this.request = { operation, path, message: message.ok, serial, callerTrace, deadline, receivedAt: this.ports.clock.now() };
  }

  protected malformed(message: string): Failed<Cause> {
    return failed('malformed-body', 'INVALID_REQUEST', message);
  }

  protected tooLarge(): Failed<Cause> {
    return failed('body-too-large', 'INVALID_REQUEST', `The body is larger than ${inKib(this.arrived.operation.bodyBytesMax)}`);
  }

  protected failed(name: SharedFailure, retryAfterMs?: number): Failed<Cause> {
    return { ...failed<Cause>(name, 'INTERNAL_ERROR', MESSAGES[name]), retryAfterMs };
  }

  protected render(answer: DeviceAnswer<Cause>): RenderedAnswer {
    if (answer.kind === 'answer') {
      const http = { status: HttpStatus.OK, contentType: JSON_TYPE, body: JSON.stringify(answer.body) };
      return { http, served: { outcome: 'answered', errorCode: undefined } };
    }
    const { name, cause, message, retryAfterMs } = answer;
    const { random, configuration } = this.ports;
    const code = makeErrorCode((size) => random.bytes(size));
    const { invoiceId } = this.path;
    const repeatedInvoiceId = isInvoiceId(invoiceId) && !this.#isInvoiceIdWithheld ? invoiceId : undefined;
    const body = JSON.stringify(deviceErrorBody({ cause, code, message }, repeatedInvoiceId));
    const ofCause = configuration.groupB.httpErrors === 'always-200' ? HttpStatus.OK : HTTP_STATUS_OF_CAUSE[cause];
    const http = { status: STATUS_OF[name] ?? ofCause, contentType: JSON_TYPE, body };
    return { http, retryAfterMs, served: { outcome: name, errorCode: code } };
  }

  protected about(answer: DeviceAnswer<Cause>): Pick<ServedRequest, 'merchant' | 'entryPoint' | 'orderId' | 'signedWith'> {
    if (this.authentic === undefined) return { merchant: undefined };
    const orderId = orderIdIn(answer, this.authentic);
    return {
      merchant: this.authentic.merchant,
      entryPoint: this.path.endpointId,
      ...(orderId !== undefined && { orderId }),
      ...(this.authentic.kind === 'signed' && { signedWith: this.authentic.signedWith }),
    };
  }

  protected forget(): void {
    this.request = this.authentic = undefined;
  }
}

export const GROUP_B: Dialect = {
  isPath: () => true,
  refuseMethod: (arrived: ArrivedRequest<DeviceOperationRow>, ports) =>
    new DeviceExchange(arrived, ports).refuseInvalid('method-not-allowed', 'The method must be POST'),
  begin: (arrived: ArrivedRequest<DeviceOperationRow>, ports) => new DeviceExchange(arrived, ports),
};

/** Copied, since Express's params object has no prototype. */
const pathOf = ({ params }: Request): DevicePath => {
  const { endpointId, invoiceId, assignedId } = params as unknown as DevicePath;
  return assignedId === undefined ? { endpointId, invoiceId } : { endpointId, invoiceId, assignedId };
};

const orderIdIn = (answer: DeviceAnswer<Cause>, authentic: AuthenticRequest): OrderId | undefined => {
  if (authentic.kind === 'in-session') return authentic.order.view.orderId;
  return answer.kind === 'answer' ? answer.orderId : undefined;
};
