import type { ArgumentsHost } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Clock, Failpoints, MerchantLogin, Random } from '@app/kernel';
import type { Configuration } from '@app/configuration';
import type { ControlKey } from '@app/gateway-protocol';
import {
  OutcomeUnknown,
  readTraceparent,
  StoreUnavailable,
  traceIdOf,
  type StartedRequest,
  type CallerTrace,
  type RequestDeadline,
  type RequestDeadlines,
} from '@app/event-store';
import { isStoreAway, type NamedRequest } from '@app/orders';
import { writeAnswersOf, sendAnswer, type HttpAnswer } from '../server/http-reply';
import type { BufferedBody, ReadBody } from '../server/read-body';

/** A request and its outcome, for metrics and the log. Holds identifiers only, no other content except the key that signed. */
export interface ServedRequest {
  readonly operation: string;
  readonly serial: string;
  /** 32 hexadecimal digits; absent if the request has no traceparent. */
  readonly trace?: string;
  readonly merchant: string | undefined;
  readonly entryPoint?: string;
  /** The merchant's key that signed an authenticated request; the log shows its id. */
  readonly signedWith?: ControlKey;
  /** The order in the response, or the order that an authenticated sender queries. */
  readonly orderId?: string;
  readonly outcome: string;
  /** The `error.code` of a Group B response (protocol decisions, section 8). */
  readonly errorCode?: string | undefined;
  readonly durationMs: number;
}

export type Group = 'a' | 'b';

export interface ExchangeListener {
  served(request: ServedRequest, group: Group): void;
  failed(request: NamedRequest, error: unknown): void;
  /** The signed text of an accepted order is ambiguous (safety, section 3.1). */
  signatureAmbiguous(): void;
}

export interface RequestPorts {
  /** Serial-numbers of requests (protocol decisions, D3.5). */
  readonly serials: { next(): string | Promise<string> };
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly failpoints: Failpoints;
  readonly deadlines: RequestDeadlines;
  readonly listener: Pick<ExchangeListener, 'served' | 'failed'>;
  readonly configuration: { readonly groupB: Pick<Configuration['groupB'], 'httpErrors'> };
}

export interface ArrivedRequest<Operation extends { readonly name: string } = { readonly name: string }> {
  readonly operation: Operation;
  readonly request: Request;
  readonly response: Response;
  /** Only the release function: the body holds the card number and must not stay in memory with the exchange. */
  readonly releaseBody: BufferedBody['release'];
  readonly startedAt: number;
}

/**
 * Thrown by guards after they set a refusal, which `RefusalFilter` sends. One shared instance, because capturing a
 * stack would make unauthenticated requests expensive.
 */
class RefusedRequest extends Error {
  static readonly thrown = new RefusedRequest('the request is refused');
}

/** Failures common to both groups. Each dialect has its own texts for them. */
export type FailureName = 'no-room' | 'rate-limited' | 'temporarily-unavailable' | 'acceptance-unknown' | 'internal';

export interface RenderedAnswer {
  readonly http: Pick<HttpAnswer, 'status' | 'contentType' | 'body' | 'policy'>;
  readonly retryAfterMs?: number | undefined;
  readonly served: Pick<ServedRequest, 'outcome' | 'errorCode'>;
}

const NO_ROOM_RETRY_MS = 1_000;

/** A property of the request: a WeakMap would cost a tenth of a request's processor time in garbage collection. */
const EXCHANGE = Symbol('exchange');

type RequestWithExchange = Request & { [EXCHANGE]?: Exchange };

export const findExchange = (host: ArgumentsHost): Exchange | undefined =>
  // `switchToHttp` creates three functions per call, and a request makes several calls.
  host.getArgByIndex<RequestWithExchange>(0)[EXCHANGE];

/** @throws Error if the body was not read yet, so the guards are not in the order of `servedBy` */
export const exchangeOf = (host: ArgumentsHost): Exchange => {
  const exchange = findExchange(host);
  if (exchange === undefined) throw new Error('the body of the request was not read yet');
  return exchange;
};

/**
 * A request and its only response. The first of controller, guard refusal, error and deadline wins. A dialect reads the
 * body, authenticates the sender and writes the response.
 */
export abstract class Exchange<
  Operation extends { readonly name: string } = { readonly name: string },
  Answer = unknown,
> implements NamedRequest {
  serial = '';
  readonly callerTrace: CallerTrace | undefined;
  protected abstract readonly group: Group;
  readonly #begun: StartedRequest;
  #refusal: Answer | undefined;
  #isAnswered = false;

  constructor(
    readonly arrived: ArrivedRequest<Operation>,
    protected readonly ports: RequestPorts,
  ) {
    const { request, response } = arrived;
    this.callerTrace = readTraceparent(request.headers['traceparent']);
    this.#begun = ports.deadlines.begin((mayBeStored) => this.#send(this.#failure(deadlinePassed(mayBeStored))));
    (request as RequestWithExchange)[EXCHANGE] = this;
    writeAnswersOf(response, (answer) => this.answer(answer as Answer));
  }

  get deadline(): RequestDeadline {
    return this.#begun.deadline;
  }

  /**
   * The authenticated merchant, used for the rate limit.
   * @throws Error if the sender is not authenticated
   */
  abstract get merchant(): MerchantLogin;

  abstract admit(): object;

  protected abstract readBody(body: Uint8Array): void;
  protected abstract malformed(message: string): Answer;
  protected abstract tooLarge(): Answer;
  protected abstract failed(name: FailureName, retryAfterMs?: number): Answer;
  protected abstract render(answer: Answer): RenderedAnswer;
  /** Before authentication, only the claimed merchant may be logged. */
  protected abstract about(answer: Answer): Pick<ServedRequest, 'merchant' | 'entryPoint' | 'orderId' | 'signedWith'>;
  /** Drops the message. A socket keeps its last request until the next one arrives, and with it the card number. */
  protected abstract forget(): void;

  /** @throws RefusedRequest */
  async receive(read: Exclude<ReadBody, { readonly kind: 'aborted' }>): Promise<void> {
    try {
      this.serial = await this.ports.serials.next();
    } catch (error) {
      this.ports.listener.failed(this, error);
      this.refuse(this.failed(this.nameWithoutSerial(error)));
    }
    this.deadline.named(this.serial);
    if (read.kind === 'too-large') return this.refuse(this.tooLarge());
    if (read.kind === 'no-room') return this.refuse(this.failed('no-room', NO_ROOM_RETRY_MS));
    if (read.kind === 'unsupported') return this.refuse(this.malformed('Content-Encoding must be identity'));
    this.readBody(read.body);
  }

  refuse(refusal: Answer): never {
    this.#refusal = refusal;
    throw RefusedRequest.thrown;
  }

  refuseRate(retryAfterMs: number): never {
    return this.refuse(this.failed('rate-limited', retryAfterMs));
  }

  /** Sends the refusal that was set, or else the failure that matches the error. */
  fail(error: unknown): void {
    this.answer(error === RefusedRequest.thrown && this.#refusal !== undefined ? this.#refusal : this.#failure(error));
  }

  /** Ends the exchange. A response after the deadline is dropped. */
  answer(answer: Answer): void {
    this.#send(answer);
    this.#begun.end();
    this.forget();
  }

  protected nameWithoutSerial(error: unknown): FailureName {
    return failureNameOf(error);
  }

  #failure(error: unknown): Answer {
    this.ports.listener.failed(this, error);
    return this.failed(failureNameOf(error));
  }

  #send(answer: Answer): void {
    if (this.#isAnswered) return;
    const { operation, response, releaseBody, startedAt } = this.arrived;
    const { http, retryAfterMs, served } = this.render(answer);
    if (retryAfterMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    sendAnswer(response, { ...http, requestId: this.serial === '' ? undefined : this.serial });
    this.#isAnswered = true;
    releaseBody();
    this.ports.failpoints.reach('P4');
    const request = {
      operation: operation.name,
      serial: this.serial,
      ...(this.callerTrace !== undefined && { trace: traceIdOf(this.callerTrace) }),
      ...this.about(answer),
      ...served,
      durationMs: performance.now() - startedAt,
    };
    this.ports.listener.served(request, this.group);
  }
}

const failureNameOf = (error: unknown): FailureName => {
  if (error instanceof OutcomeUnknown) return 'acceptance-unknown';
  return isStoreAway(error) ? 'temporarily-unavailable' : 'internal';
};

const deadlinePassed = (mayBeStored: boolean): Error =>
  mayBeStored
    ? new OutcomeUnknown('the request took too long, and something of it was sent to the log')
    : new StoreUnavailable('the request took too long');
