import { HttpStatus, type ArgumentsHost } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Failpoints, Random } from '@app/kernel';
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
import { isStoreAway, type NamedRequest } from '@app/order-processing';
import { sendAnswer, writeAnswersOf, type HeldBody } from '@app/http-server';
import { failed, type Cause, type DeviceAnswer, type Failed } from './device-answer';
import type { DeviceApiWatch } from './device-api.watch';
import type { AdmittedRequest, DevicePath, DeviceRequest } from './device-request';
import { tellableInvoiceId } from './invoice-id';
import { RefusedRequest } from './refused-request';

const JSON_TYPE = 'application/json;charset=utf-8';
/** The message of whatever failed before anything was accepted. */
export const AWAY = 'Temporarily unavailable, nothing was accepted';

export interface DeviceExchangePorts {
  readonly random: Pick<Random, 'bytes'>;
  readonly failpoints: Failpoints;
  readonly deadlines: RequestDeadlines;
  readonly watch: DeviceApiWatch;
  readonly configuration: { readonly groupB: Pick<Configuration['groupB'], 'httpErrors'> };
}

/** An operation of the table, under its own name. */
export type DeviceOperationRow = GroupBOperation & { readonly name: GroupBOperationName };

/** A request that came, before anything of it was looked at. */
export interface ArrivedRequest {
  readonly operation: DeviceOperationRow;
  readonly request: Request;
  readonly response: Response;
  /** Absent of one that is turned away unread. */
  readonly body?: HeldBody;
  /** Of the process's own clock, in milliseconds. */
  readonly startedAt?: number;
}

/** A property of the request: a WeakMap of all of them would cost a tenth of a request's processor time in garbage collection. */
const EXCHANGE = Symbol('device exchange');

type Exchanged = Request & { [EXCHANGE]?: DeviceExchange };

/** @throws where the reader of the body began none */
export const exchangeIn = (context: ArgumentsHost): DeviceExchange => {
  // Not `switchToHttp`, which makes three functions each time: five stand on the way of a request.
  const exchange = context.getArgByIndex<Exchanged>(0)[EXCHANGE];
  if (exchange === undefined) throw new Error('a request of the device interface that was not read');
  return exchange;
};

/**
 * One request of Group B and its one answer, whoever gives it first: the controller, a refusal before it, an error, or the request's deadline. A failure
 * is in the operation's class of causes under a code of its own, which the log has too (interface, section 7.2; protocol decisions, section 8).
 */
export class DeviceExchange implements NamedRequest {
  /** Empty until the request got one. */
  serial = '';
  readonly callerTrace: CallerTrace | undefined;
  readonly path: DevicePath;
  /** The body, read strictly. */
  json: unknown;
  /** With the members of its message. */
  request: DeviceRequest<object> | undefined;
  /** With who sent it. */
  admitted: AdmittedRequest | undefined;
  /** The invoice holds the card number of the request: no answer repeats it. */
  isInvoiceUntold = false;
  readonly #begun: BegunRequest | undefined;
  #refusal: Failed<Cause> | undefined;
  #isAnswered = false;

  private constructor(
    private readonly arrived: ArrivedRequest,
    private readonly ports: DeviceExchangePorts,
  ) {
    const { request, body } = arrived;
    this.path = pathOf(request);
    if (body === undefined) return;
    this.callerTrace = readTraceparent(request.headers['traceparent']);
    this.#begun = ports.deadlines.begin((mayBeStored) => this.answer(this.failure(tooLate(mayBeStored))));
  }

  /** A request whose body was read is answered within its time from now on, whatever is away. */
  static begin(arrived: ArrivedRequest, ports: DeviceExchangePorts): DeviceExchange {
    const exchange = new DeviceExchange(arrived, ports);
    (arrived.request as Exchanged)[EXCHANGE] = exchange;
    writeAnswersOf(arrived.response, (answer) => exchange.end(answer as DeviceAnswer<Cause>));
    return exchange;
  }

  get operation(): DeviceOperationRow {
    return this.arrived.operation;
  }

  /** Absent of a request that is turned away unread. */
  get deadline(): RequestDeadline | undefined {
    return this.#begun?.deadline;
  }

  named(serial: string): void {
    this.serial = serial;
    this.deadline?.named(serial);
  }

  /** What a guard throws that refuses the request. */
  refuse(failure: Failed<Cause>): RefusedRequest {
    this.#refusal = failure;
    return RefusedRequest.thrown;
  }

  /** The same for what the request is: every operation has that cause. */
  refuseInvalid(name: Failed<Cause>['name'], message: string): RefusedRequest {
    return this.refuse(failed(name, 'INVALID_REQUEST', message));
  }

  /** Answers what a guard refused, or what an error becomes. */
  fail(error: unknown): void {
    this.end(error === RefusedRequest.thrown && this.#refusal !== undefined ? this.#refusal : this.failure(error));
  }

  /** Nothing of the request is under way any more. An answer that comes behind the deadline's is dropped. */
  end(answer: DeviceAnswer<Cause>): void {
    this.answer(answer);
    this.#begun?.end();
    // A socket keeps its last request until the next one comes, and with it would keep the card.
    this.json = this.request = this.admitted = undefined;
  }

  /** What an error becomes, which is reported here: also one that nobody is told of, for the request was answered without it. */
  private failure(error: unknown): Failed<Cause> {
    this.ports.watch.failed(this, error);
    if (error instanceof OutcomeUnknown) {
      return failed('acceptance-unknown', 'INTERNAL_ERROR', 'It is not known whether this was accepted: repeat the request unchanged');
    }
    if (isStoreAway(error)) return failed('temporarily-unavailable', 'INTERNAL_ERROR', AWAY);
    return failed('internal', 'INTERNAL_ERROR', 'Internal error');
  }

  private answer(answer: DeviceAnswer<Cause>): void {
    if (this.#isAnswered) return;
    const { body, startedAt } = this.arrived;
    const errorCode = this.send(answer);
    this.#isAnswered = true;
    body?.release();
    if (body !== undefined) this.ports.failpoints.reach('P4');
    const trace = this.callerTrace === undefined ? undefined : { trace: traceIdOf(this.callerTrace) };
    this.ports.watch.served({
      operation: this.operation.name,
      serial: this.serial,
      ...trace,
      merchant: this.admitted?.merchant,
      outcome: answer.kind === 'failed' ? answer.name : 'answered',
      errorCode,
      durationMs: startedAt === undefined ? 0 : performance.now() - startedAt,
    });
  }

  /** @returns the code of the failure that was sent */
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
    const invoiceId = this.isInvoiceUntold ? undefined : tellableInvoiceId(this.path.invoiceId);
    const body = JSON.stringify(deviceErrorBody({ cause, code, message }, invoiceId));
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

/** A copy in the open: Express's own has no prototype. */
const pathOf = ({ params }: Request): DevicePath => {
  const { endpointId, invoiceId, assignedId } = params as unknown as DevicePath;
  return assignedId === undefined ? { endpointId, invoiceId } : { endpointId, invoiceId, assignedId };
};

const tooLate = (mayBeStored: boolean): Error =>
  mayBeStored
    ? new OutcomeUnknown('the request took too long, and something of it was sent to the log')
    : new StoreUnavailable('the request took too long');
