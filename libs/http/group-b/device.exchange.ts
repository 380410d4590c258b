import { HttpStatus, type ArgumentsHost } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Failpoints, OrderId, Random } from '@app/kernel';
import {
  OutcomeUnknown,
  readTraceparent,
  StoreUnavailable,
  traceIdOf,
  type BegunRequest,
  type CallerTrace,
  type RequestDeadline,
  type RequestDeadlines,
} from '@app/event-store';
import {
  deviceErrorBody,
  HTTP_STATUS_OF_CAUSE,
  makeErrorCode,
  type GroupBOperation,
  type GroupBOperationName,
} from '@app/gateway-protocol';
import type { Configuration } from '@app/configuration';
import { isStoreAway, type NamedRequest } from '@app/orders';
import { sendAnswer } from '../server/http-answer';
import { writeAnswersOf } from '../server/answer-writer';
import type { HeldBody } from '../server/read-body';
import { RefusedRequest } from '../request/refused-request';
import { failed, type Cause, type DeviceAnswer, type Failed } from './device-answer';
import type { DeviceApiWatch, ServedDeviceRequest } from './device-api.watch';
import type { AdmittedRequest, DevicePath, DeviceRequest } from './device-request';
import { isInvoiceId } from './invoice-id';

const JSON_TYPE = 'application/json;charset=utf-8';

export const TEMPORARILY_UNAVAILABLE = 'Temporarily unavailable, nothing was accepted';

export interface DeviceExchangePorts {
  readonly random: Pick<Random, 'bytes'>;
  readonly failpoints: Failpoints;
  readonly deadlines: RequestDeadlines;
  readonly watch: DeviceApiWatch;
  readonly configuration: { readonly groupB: Pick<Configuration['groupB'], 'httpErrors'> };
}

export type DeviceOperationRow = GroupBOperation & { readonly name: GroupBOperationName };

/** A request as Express has it. */
export interface ArrivedRequest {
  readonly operation: DeviceOperationRow;
  readonly request: Request;
  readonly response: Response;
  /** Absent where the request is refused unread. It is not the body itself, which may hold a card number and would stay as long as the exchange. */
  readonly releaseBody?: HeldBody['release'];
  /** From `performance.now()`, in milliseconds. */
  readonly startedAt?: number;
}

/** The exchange is a property of the request: a WeakMap would cost a tenth of a request's processor time in garbage collection. */
const EXCHANGE = Symbol('device exchange');

type RequestWithExchange = Request & { [EXCHANGE]?: DeviceExchange };

/** @throws where `BodyReader` did not begin an exchange */
export const exchangeIn = (context: ArgumentsHost): DeviceExchange => {
  // `switchToHttp` would create three functions at each call, and a request makes five calls.
  const exchange = context.getArgByIndex<RequestWithExchange>(0)[EXCHANGE];
  if (exchange === undefined) throw new Error('a request of the device interface without an exchange');
  return exchange;
};

/**
 * One request of Group B and its one answer. The controller, a guard's refusal, an error and the deadline compete: the first of them is sent. A failure
 * has a cause of its operation and a unique code, which the log has too (interface, section 7.2; protocol decisions, section 8).
 */
export class DeviceExchange implements NamedRequest {
  /** Empty until one is assigned. */
  serial = '';
  readonly callerTrace: CallerTrace | undefined;
  readonly path: DevicePath;
  /** The body's JSON, set by `BodyReaderGuard`. */
  json: unknown;
  /** Set by `MessageGuard`. */
  request: DeviceRequest<object> | undefined;
  /** Set by `SessionOrSignatureGuard`. */
  admitted: AdmittedRequest | undefined;
  /** The invoice id holds the card number of the request, so no answer repeats it. */
  isInvoiceIdWithheld = false;
  readonly #begun: BegunRequest | undefined;
  #refusal: Failed<Cause> | undefined;
  #isAnswered = false;

  private constructor(
    private readonly arrived: ArrivedRequest,
    private readonly ports: DeviceExchangePorts,
  ) {
    const { request, releaseBody } = arrived;
    this.path = pathOf(request);
    if (releaseBody === undefined) return;
    this.callerTrace = readTraceparent(request.headers['traceparent']);
    this.#begun = ports.deadlines.begin((mayBeStored) => this.answer(this.failure(deadlinePassed(mayBeStored))));
  }

  /** Where the body was read the deadline begins, and the request is answered by then, whatever is unavailable. */
  static begin(arrived: ArrivedRequest, ports: DeviceExchangePorts): DeviceExchange {
    const exchange = new DeviceExchange(arrived, ports);
    (arrived.request as RequestWithExchange)[EXCHANGE] = exchange;
    writeAnswersOf(arrived.response, (answer) => exchange.end(answer as DeviceAnswer<Cause>));
    return exchange;
  }

  get operation(): DeviceOperationRow {
    return this.arrived.operation;
  }

  /** Absent where the request is refused unread. */
  get deadline(): RequestDeadline | undefined {
    return this.#begun?.deadline;
  }

  assignSerial(serial: string): void {
    this.serial = serial;
    this.deadline?.named(serial);
  }

  /** Notes the refusal. @returns the error that the guard throws */
  refuse(failure: Failed<Cause>): RefusedRequest {
    this.#refusal = failure;
    return RefusedRequest.thrown;
  }

  /** Refuses with the cause that every operation has. */
  refuseInvalid(name: Failed<Cause>['name'], message: string): RefusedRequest {
    return this.refuse(failed(name, 'INVALID_REQUEST', message));
  }

  /** Answers with the noted refusal, or with the failure that stands for the error. */
  fail(error: unknown): void {
    this.end(error === RefusedRequest.thrown && this.#refusal !== undefined ? this.#refusal : this.failure(error));
  }

  /** Ends the exchange. An answer that comes after the deadline's is dropped. */
  end(answer: DeviceAnswer<Cause>): void {
    this.answer(answer);
    this.#begun?.end();
    // A socket keeps its last request until the next one arrives, and would keep the card with it.
    this.json = this.request = this.admitted = undefined;
  }

  /** Every error is reported, even one that comes after the request was answered. */
  private failure(error: unknown): Failed<Cause> {
    this.ports.watch.failed(this, error);
    if (error instanceof OutcomeUnknown) {
      return failed('acceptance-unknown', 'INTERNAL_ERROR', 'It is not known whether this was accepted: repeat the request unchanged');
    }
    if (isStoreAway(error)) return failed('temporarily-unavailable', 'INTERNAL_ERROR', TEMPORARILY_UNAVAILABLE);
    return failed('internal', 'INTERNAL_ERROR', 'Internal error');
  }

  private answer(answer: DeviceAnswer<Cause>): void {
    if (this.#isAnswered) return;
    const { releaseBody, startedAt } = this.arrived;
    const errorCode = this.send(answer);
    this.#isAnswered = true;
    releaseBody?.();
    if (releaseBody !== undefined) this.ports.failpoints.reach('P4');
    const trace = this.callerTrace === undefined ? undefined : { trace: traceIdOf(this.callerTrace) };
    this.ports.watch.served({
      operation: this.operation.name,
      serial: this.serial,
      ...trace,
      merchant: this.admitted?.merchant,
      ...this.orderIn(answer),
      outcome: answer.kind === 'failed' ? answer.name : 'answered',
      errorCode,
      durationMs: startedAt === undefined ? 0 : performance.now() - startedAt,
    });
  }

  /** Nothing that the request says is logged before its sender is authenticated. */
  private orderIn(answer: DeviceAnswer<Cause>): Pick<ServedDeviceRequest, 'entryPoint' | 'orderId'> {
    if (this.admitted === undefined) return {};
    const orderId = orderIdIn(answer, this.admitted);
    return { entryPoint: this.path.endpointId, ...(orderId !== undefined && { orderId }) };
  }

  /** @returns the `error.code` that was sent, undefined for a success */
  private send(answer: DeviceAnswer<Cause>): string | undefined {
    const { response } = this.arrived;
    const requestId = this.serial === '' ? undefined : this.serial;
    if (answer.kind === 'answer') {
      sendAnswer(response, { status: HttpStatus.OK, contentType: JSON_TYPE, body: JSON.stringify(answer.body), requestId });
      return undefined;
    }
    const { cause, message, retryAfterMs } = answer;
    if (retryAfterMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    const code = makeErrorCode((size) => this.ports.random.bytes(size));
    const { invoiceId } = this.path;
    const repeatedInvoiceId = isInvoiceId(invoiceId) && !this.isInvoiceIdWithheld ? invoiceId : undefined;
    const body = JSON.stringify(deviceErrorBody({ cause, code, message }, repeatedInvoiceId));
    sendAnswer(response, { status: this.statusOf(answer), contentType: JSON_TYPE, body, requestId });
    return code;
  }

  private statusOf({ name, cause }: Failed<Cause>): number {
    if (name === 'body-too-large') return HttpStatus.PAYLOAD_TOO_LARGE;
    if (name === 'no-room') return HttpStatus.SERVICE_UNAVAILABLE;
    if (name === 'method-not-allowed') return HttpStatus.METHOD_NOT_ALLOWED;
    return this.ports.configuration.groupB.httpErrors === 'always-200' ? HttpStatus.OK : HTTP_STATUS_OF_CAUSE[cause];
  }
}

/** Copies the values, since Express's own object has no prototype. */
const pathOf = ({ params }: Request): DevicePath => {
  const { endpointId, invoiceId, assignedId } = params as unknown as DevicePath;
  return assignedId === undefined ? { endpointId, invoiceId } : { endpointId, invoiceId, assignedId };
};

const orderIdIn = (answer: DeviceAnswer<Cause>, admitted: AdmittedRequest): OrderId | undefined => {
  if (admitted.kind === 'in-session') return admitted.order.view.orderId;
  return answer.kind === 'answer' ? answer.orderId : undefined;
};

const deadlinePassed = (mayBeStored: boolean): Error =>
  mayBeStored
    ? new OutcomeUnknown('the request took too long, and something of it was sent to the log')
    : new StoreUnavailable('the request took too long');
