import { HttpStatus } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Clock, Failpoints, Random } from '@app/kernel';
import { OutcomeUnknown } from '@app/event-store';
import {
  DEVICE_BODY_BYTES_MAX,
  deviceErrorBody,
  holdsCardNumberOf,
  HTTP_STATUS_OF_CAUSE,
  makeErrorCode,
  readDeviceMessage,
  readJson,
  type PerformCause,
  type StatusCause,
} from '@app/gateway-protocol';
import type { Configuration } from '@app/merchant-accounts';
import { isStoreAway } from '@app/order-processing';
import type { SerialSource } from '../group-a/group-a.edge';
import { bodyReader, type ReadBody, sendAnswer } from '@app/serving';
import type { RateLimit } from '../rate-limit/rate-limit';
import { failed, type AnyDeviceEndpoint, type DeviceAnswer, type DevicePath, type Failed } from './device-endpoint';
import { tellableInvoiceId } from './invoice-id';

const JSON_TYPE = 'application/json;charset=utf-8';
const OUT_OF_TURN = 'Too many requests, nothing was accepted';

type Cause = PerformCause | StatusCause;

/** One request and what it came to, for metrics and the log: no member of the request. */
export interface ServedDeviceRequest {
  readonly operation: AnyDeviceEndpoint['name'];
  readonly serial: string;
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
  readonly httpErrors: Configuration['groupB']['httpErrors'];
  readonly onServed: (served: ServedDeviceRequest) => void;
  /** A bug, or a store that is away; answered with INTERNAL_ERROR. */
  readonly onError: (serial: string, error: unknown) => void;
}

interface Served {
  readonly answer: DeviceAnswer<Cause>;
  readonly merchant?: string;
  /** It holds the card number of the request: not given back. */
  readonly isInvoiceUntold?: boolean;
}

const readBody = bodyReader(DEVICE_BODY_BYTES_MAX);
const refused = (name: Failed<Cause>['name'], message: string): Served => ({ answer: failed<Cause>(name, 'INVALID_REQUEST', message) });

/**
 * The way of every Group B request: bytes, strict JSON, members, then who sent it, by signature or session, then its rate, and then the operation's
 * own rules. What fails is answered in the operation's class of causes under a code of its own, which the log has too (interface, section 7.2;
 * protocol decisions, section 8).
 */
export class GroupBEdge {
  constructor(private readonly ports: GroupBEdgePorts) {}

  async serve(request: Request, response: Response, path: DevicePath, endpoint: AnyDeviceEndpoint): Promise<void> {
    const startedAt = performance.now();
    const read = await readBody(request);
    if (read.kind === 'aborted') return;
    this.ports.failpoints.reach('P0');
    let serial = '';
    let served: Served;
    try {
      serial = await this.ports.serials.next();
      served = await this.served(read, path, endpoint, serial);
    } catch (error) {
      served = { answer: this.failure(error, serial) };
    }
    const { answer, merchant, isInvoiceUntold = false } = served;
    const errorCode = this.send(response, isInvoiceUntold ? undefined : tellableInvoiceId(path.invoiceId), answer);
    this.ports.failpoints.reach('P4');
    const outcome = answer.kind === 'failed' ? answer.name : 'answered';
    this.ports.onServed({ operation: endpoint.name, serial, merchant, outcome, errorCode, durationMs: performance.now() - startedAt });
  }

  /** A path that is an operation, asked in another way (protocol decisions, section 8). */
  refuseMethod(response: Response, path: DevicePath, { name: operation }: AnyDeviceEndpoint): void {
    const { answer } = refused('method-not-allowed', 'The method must be POST');
    const errorCode = this.send(response, tellableInvoiceId(path.invoiceId), answer);
    this.ports.onServed({ operation, serial: '', merchant: undefined, outcome: 'method-not-allowed', errorCode, durationMs: 0 });
  }

  private async served(
    read: Exclude<ReadBody, { kind: 'aborted' }>,
    path: DevicePath,
    endpoint: AnyDeviceEndpoint,
    serial: string,
  ): Promise<Served> {
    if (read.kind === 'too-large') return refused('body-too-large', `The body is larger than ${DEVICE_BODY_BYTES_MAX} bytes`);
    if (read.kind === 'unsupported') return refused('malformed-body', 'Content-Encoding must be identity');
    const json = readJson(read.body);
    if ('refused' in json) return refused('malformed-body', json.refused.message);
    if (holdsCardNumberOf(json.ok, path.invoiceId)) {
      return { ...refused('malformed-member', 'invoiceId must not hold the card number'), isInvoiceUntold: true };
    }
    if (tellableInvoiceId(path.invoiceId) === undefined) return refused('malformed-member', 'invoiceId is not valid');
    const message = readDeviceMessage(endpoint.message, json.ok);
    if ('refused' in message) return refused('malformed-member', message.refused.message);
    this.ports.failpoints.reach('P1');
    const proven = await endpoint.prove({ path, message: message.ok, serial, receivedAt: this.ports.clock.now() });
    if (proven.kind === 'failed') return { answer: proven };
    const { merchant } = proven;
    // Who proved to be a merchant's uses up its rate: a stranger cannot (safety, T35).
    const admission = await this.ports.rateLimit.admit(merchant);
    if (admission.kind === 'limited') {
      const { retryAfterMs } = admission;
      return { merchant, answer: { ...failed<Cause>('rate-limited', 'INTERNAL_ERROR', OUT_OF_TURN), retryAfterMs } };
    }
    try {
      return { merchant, answer: await proven.go() };
    } catch (error) {
      return { merchant, answer: this.failure(error, serial) };
    }
  }

  private failure(error: unknown, serial: string): Failed<Cause> {
    this.ports.onError(serial, error);
    if (error instanceof OutcomeUnknown) {
      return failed('acceptance-unknown', 'INTERNAL_ERROR', 'It is not known whether this was accepted: repeat the request unchanged');
    }
    if (isStoreAway(error)) return failed('temporarily-unavailable', 'INTERNAL_ERROR', 'Temporarily unavailable, nothing was accepted');
    return failed('internal', 'INTERNAL_ERROR', 'Internal error');
  }

  /** @returns the code of the failure that was told */
  private send(response: Response, invoiceId: string | undefined, answer: DeviceAnswer<Cause>): string | undefined {
    if (answer.kind === 'answer') {
      sendAnswer(response, { status: HttpStatus.OK, contentType: JSON_TYPE, body: JSON.stringify(answer.body) });
      return undefined;
    }
    const { cause, message, retryAfterMs } = answer;
    if (retryAfterMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    const code = makeErrorCode((size) => this.ports.random.bytes(size));
    const body = JSON.stringify(deviceErrorBody({ cause, code, message }, invoiceId));
    sendAnswer(response, { status: this.statusOf(answer), contentType: JSON_TYPE, body });
    return code;
  }

  private statusOf({ name, cause }: Failed<Cause>): number {
    if (name === 'body-too-large') return HttpStatus.PAYLOAD_TOO_LARGE;
    if (name === 'method-not-allowed') return HttpStatus.METHOD_NOT_ALLOWED;
    return this.ports.httpErrors === 'always-200' ? HttpStatus.OK : HTTP_STATUS_OF_CAUSE[cause];
  }
}
