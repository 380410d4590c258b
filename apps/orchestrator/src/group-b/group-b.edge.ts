import { HttpStatus } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Clock, Deadline, Failpoints, Random } from '@app/kernel';
import {
  OutcomeUnknown,
  readTraceparent,
  StoreUnavailable,
  traceIdOf,
  type CallerTrace,
  type RequestDeadline,
  type RequestDeadlines,
} from '@app/event-store';
import {
  DEVICE_BODY_BYTES_MAX,
  deviceErrorBody,
  holdsCardNumberOf,
  HTTP_STATUS_OF_CAUSE,
  inKib,
  makeErrorCode,
  readDeviceMessage,
  readJson,
  SessionRequest,
  SHORT_DEVICE_BODY_BYTES_MAX,
  type PerformCause,
  type StatusCause,
} from '@app/gateway-protocol';
import type { Configuration } from '@app/configuration';
import { isStoreAway, type NamedRequest } from '@app/order-processing';
import type { SerialSource } from '../request/serial-source';
import { bodyReader, type ReadBody, sendAnswer } from '@app/http-server';
import type { RateLimit } from '../request/rate-limit/rate-limit';
import { failed, type AnyDeviceEndpoint, type DeviceAnswer, type DevicePath, type Failed } from './device-endpoint';
import { tellableInvoiceId } from './invoice-id';

const JSON_TYPE = 'application/json;charset=utf-8';
const OUT_OF_TURN = 'Too many requests, nothing was accepted';

type Cause = PerformCause | StatusCause;

/** One request and what it came to, for metrics and the log: no member of the request. */
export interface ServedDeviceRequest {
  readonly operation: AnyDeviceEndpoint['name'];
  readonly serial: string;
  /** Of its caller, as 32 hex digits; absent where it brought none. */
  readonly trace?: string;
  readonly merchant: string | undefined;
  readonly outcome: string;
  /** As the answer has it (protocol decisions, section 8). */
  readonly errorCode: string | undefined;
  readonly durationMs: number;
}

export interface GroupBEdgePorts {
  readonly serials: SerialSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly failpoints: Failpoints;
  readonly rateLimit: RateLimit;
  readonly deadlines: RequestDeadlines;
  readonly httpErrors: Configuration['groupB']['httpErrors'];
  readonly onServed: (served: ServedDeviceRequest) => void;
  /** A bug, or a store that is away; answered with INTERNAL_ERROR. */
  readonly onError: (request: NamedRequest, error: unknown) => void;
}

interface Served {
  readonly answer: DeviceAnswer<Cause>;
  readonly merchant?: string;
  /** It holds the card number of the request: not given back. */
  readonly isInvoiceUntold?: boolean;
}

const readLong = bodyReader(DEVICE_BODY_BYTES_MAX);
const readShort = bodyReader(SHORT_DEVICE_BODY_BYTES_MAX);
/** For who comes while there is no room for his body. */
const NO_ROOM_MS = 1_000;
const AWAY = 'Temporarily unavailable, nothing was accepted';
/** What is known of a request by now, for the answer that its deadline may ask for. */
interface Progress {
  serial: string;
  readonly callerTrace: CallerTrace | undefined;
  merchant?: string;
  isInvoiceUntold?: boolean;
}

const tooLate = (mayBeStored: boolean): Error =>
  mayBeStored
    ? new OutcomeUnknown('the request took too long, and something of it was sent to the log')
    : new StoreUnavailable('the request took too long');

/** How much a request may bring, known before its sender is. */
const bytesMaxOf = ({ message }: AnyDeviceEndpoint): number =>
  message === SessionRequest ? SHORT_DEVICE_BODY_BYTES_MAX : DEVICE_BODY_BYTES_MAX;
const refused = (name: Failed<Cause>['name'], message: string): Served => ({ answer: failed<Cause>(name, 'INVALID_REQUEST', message) });

/**
 * The way of every Group B request: bytes, strict JSON, members, then who sent it, by signature or session, then its rate, and then the operation's
 * own rules. What fails is answered in the operation's class of causes under a code of its own, which the log has too (interface, section 7.2;
 * protocol decisions, section 8).
 */
export class GroupBEdge {
  constructor(private readonly ports: GroupBEdgePorts) {}

  serve(request: Request, response: Response, path: DevicePath, endpoint: AnyDeviceEndpoint): Promise<void> {
    const startedAt = performance.now();
    const readBody = bytesMaxOf(endpoint) === DEVICE_BODY_BYTES_MAX ? readLong : readShort;
    return readBody(request, (read) => this.answer(read, startedAt, request, response, path, endpoint));
  }

  private async answer(
    read: ReadBody,
    startedAt: number,
    request: Request,
    response: Response,
    path: DevicePath,
    endpoint: AnyDeviceEndpoint,
  ): Promise<void> {
    if (read.kind === 'aborted') return;
    this.ports.failpoints.reach('P0');
    const callerTrace = readTraceparent(request.headers['traceparent']);
    const progress: Progress = { serial: '', callerTrace };
    const served = await this.ports.deadlines.serve(
      (deadline) => this.worked(read, path, endpoint, progress, deadline),
      (mayBeStored): Served => ({ ...progress, answer: this.failure(tooLate(mayBeStored), progress) }),
    );
    const { serial } = progress;
    const { answer, merchant, isInvoiceUntold = false } = served;
    const errorCode = this.send(response, isInvoiceUntold ? undefined : tellableInvoiceId(path.invoiceId), answer, serial);
    this.ports.failpoints.reach('P4');
    const outcome = answer.kind === 'failed' ? answer.name : 'answered';
    const trace = callerTrace === undefined ? undefined : { trace: traceIdOf(callerTrace) };
    this.ports.onServed({
      operation: endpoint.name,
      serial,
      ...trace,
      merchant,
      outcome,
      errorCode,
      durationMs: performance.now() - startedAt,
    });
  }

  /** A path that is an operation, asked in another way (protocol decisions, section 8). */
  refuseMethod(response: Response, path: DevicePath, { name: operation }: AnyDeviceEndpoint): void {
    const { answer } = refused('method-not-allowed', 'The method must be POST');
    const errorCode = this.send(response, tellableInvoiceId(path.invoiceId), answer);
    this.ports.onServed({ operation, serial: '', merchant: undefined, outcome: 'method-not-allowed', errorCode, durationMs: 0 });
  }

  private async worked(
    read: Exclude<ReadBody, { kind: 'aborted' }>,
    path: DevicePath,
    endpoint: AnyDeviceEndpoint,
    progress: Progress,
    deadline: RequestDeadline,
  ): Promise<Served> {
    try {
      progress.serial = await this.ports.serials.next();
      deadline.named(progress.serial);
      return await this.served(read, path, endpoint, progress, deadline);
    } catch (error) {
      return { answer: this.failure(error, progress) };
    }
  }

  private async served(
    read: Exclude<ReadBody, { kind: 'aborted' }>,
    path: DevicePath,
    endpoint: AnyDeviceEndpoint,
    progress: Progress,
    deadline: Deadline,
  ): Promise<Served> {
    const { serial, callerTrace } = progress;
    if (read.kind === 'too-large') return refused('body-too-large', `The body is larger than ${inKib(bytesMaxOf(endpoint))}`);
    if (read.kind === 'no-room') return { answer: { ...failed<Cause>('no-room', 'INTERNAL_ERROR', AWAY), retryAfterMs: NO_ROOM_MS } };
    if (read.kind === 'unsupported') return refused('malformed-body', 'Content-Encoding must be identity');
    const json = readJson(read.body);
    if ('refused' in json) return refused('malformed-body', json.refused.message);
    if (holdsCardNumberOf(json.ok, path.invoiceId)) {
      progress.isInvoiceUntold = true;
      return { ...refused('malformed-member', 'invoiceId must not hold the card number'), isInvoiceUntold: true };
    }
    if (tellableInvoiceId(path.invoiceId) === undefined) return refused('malformed-member', 'invoiceId is not valid');
    const message = readDeviceMessage(endpoint.message, json.ok);
    if ('refused' in message) return refused('malformed-member', message.refused.message);
    this.ports.failpoints.reach('P1');
    const asked = { path, message: message.ok, serial, callerTrace, deadline, receivedAt: this.ports.clock.now() };
    const proven = await endpoint.prove(asked);
    if (proven.kind === 'failed') return { answer: proven };
    const { merchant } = proven;
    progress.merchant = merchant;
    // Who proved to be a merchant's uses up its rate: a stranger cannot (safety, T35).
    const admission = await this.ports.rateLimit.admit(merchant);
    if (admission.kind === 'limited') {
      const { retryAfterMs } = admission;
      return { merchant, answer: { ...failed<Cause>('rate-limited', 'INTERNAL_ERROR', OUT_OF_TURN), retryAfterMs } };
    }
    try {
      return { merchant, answer: await proven.go() };
    } catch (error) {
      return { merchant, answer: this.failure(error, progress) };
    }
  }

  private failure(error: unknown, request: NamedRequest): Failed<Cause> {
    this.ports.onError(request, error);
    if (error instanceof OutcomeUnknown) {
      return failed('acceptance-unknown', 'INTERNAL_ERROR', 'It is not known whether this was accepted: repeat the request unchanged');
    }
    if (isStoreAway(error)) return failed('temporarily-unavailable', 'INTERNAL_ERROR', AWAY);
    return failed('internal', 'INTERNAL_ERROR', 'Internal error');
  }

  /** @returns the code of the failure that was told */
  private send(response: Response, invoiceId: string | undefined, answer: DeviceAnswer<Cause>, serial = ''): string | undefined {
    const requestId = serial === '' ? undefined : serial;
    if (answer.kind === 'answer') {
      sendAnswer(response, { status: HttpStatus.OK, contentType: JSON_TYPE, body: JSON.stringify(answer.body), requestId });
      return undefined;
    }
    const { cause, message, retryAfterMs } = answer;
    if (retryAfterMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    const code = makeErrorCode((size) => this.ports.random.bytes(size));
    const body = JSON.stringify(deviceErrorBody({ cause, code, message }, invoiceId));
    sendAnswer(response, { status: this.statusOf(answer), contentType: JSON_TYPE, body, requestId });
    return code;
  }

  private statusOf({ name, cause }: Failed<Cause>): number {
    if (name === 'body-too-large') return HttpStatus.PAYLOAD_TOO_LARGE;
    if (name === 'no-room') return HttpStatus.SERVICE_UNAVAILABLE;
    if (name === 'method-not-allowed') return HttpStatus.METHOD_NOT_ALLOWED;
    return this.ports.httpErrors === 'always-200' ? HttpStatus.OK : HTTP_STATUS_OF_CAUSE[cause];
  }
}
