import type { ArgumentsHost } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Clock, Failpoints, MerchantLogin, Random } from '@app/kernel';
import type { Configuration } from '@app/configuration';
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
import { isStoreAway, type NamedRequest } from '@app/orders';
import { writeAnswersOf, sendAnswer, type HttpAnswer } from '../server/http-reply';
import type { HeldBody, ReadBody } from '../server/read-body';

/** One request and its outcome, for metrics and the log. Of the request's content it may hold identifiers only. */
export interface ServedRequest {
  readonly operation: string;
  readonly serial: string;
  /** The caller's trace id, 32 hexadecimal digits; absent where the request has no traceparent. */
  readonly trace?: string;
  readonly merchant: string | undefined;
  /** The endpoint or group of an authenticated sender. */
  readonly entryPoint?: string;
  /** The order that the answer names, or that an authenticated sender asks about. */
  readonly orderId?: string;
  readonly outcome: string;
  /** The `error.code` of an answer of Group B (protocol decisions, section 8). */
  readonly errorCode?: string | undefined;
  readonly durationMs: number;
}

export type Group = 'a' | 'b';

/** Reports requests to metrics and the log. */
export interface RequestWatch {
  served(request: ServedRequest, group: Group): void;
  /** A store was unavailable or a bug threw. */
  failed(request: NamedRequest, error: unknown): void;
  /** An order was accepted whose signed text can also be split into other values (safety, section 3.1). */
  signatureAmbiguous(): void;
}

export interface RequestPorts {
  /** Gives every request its serial-number (protocol decisions, D3.5). */
  readonly serials: { next(): string | Promise<string> };
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly failpoints: Failpoints;
  readonly deadlines: RequestDeadlines;
  readonly watch: Pick<RequestWatch, 'served' | 'failed'>;
  readonly configuration: { readonly groupB: Pick<Configuration['groupB'], 'httpErrors'> };
}

export interface ArrivedRequest<Operation extends { readonly name: string } = { readonly name: string }> {
  readonly operation: Operation;
  readonly request: Request;
  readonly response: Response;
  /** Not the body itself, which holds the card number and would stay as long as the exchange. */
  readonly releaseBody: HeldBody['release'];
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
}

/**
 * Thrown by guards once the exchange holds the refusal, which `RefusalFilter` sends. One instance serves all requests, because capturing a stack would
 * cost more than all other work for an unauthenticated caller.
 */
class RefusedRequest extends Error {
  static readonly thrown = new RefusedRequest('the request is refused');
}

/** The failures that a request of either group can have; each dialect has its words for them. */
export type FailureName = 'no-room' | 'rate-limited' | 'temporarily-unavailable' | 'acceptance-unknown' | 'internal';

export interface RenderedAnswer {
  readonly http: Pick<HttpAnswer, 'status' | 'contentType' | 'body' | 'policy'>;
  /** Sent as `Retry-After`, in whole seconds. */
  readonly retryAfterMs?: number | undefined;
  readonly served: Pick<ServedRequest, 'outcome' | 'errorCode'>;
}

/** When a request that met a full body budget may come again. */
const NO_ROOM_RETRY_MS = 1_000;

/** A property of the request: a WeakMap would cost a tenth of a request's processor time in garbage collection. */
const EXCHANGE = Symbol('exchange');

type RequestWithExchange = Request & { [EXCHANGE]?: Exchange };

/** Undefined until the body was read. */
export const findExchange = (host: ArgumentsHost): Exchange | undefined =>
  // `switchToHttp` would create three functions at each call, and a request makes several calls.
  host.getArgByIndex<RequestWithExchange>(0)[EXCHANGE];

/** @throws Error where the body was not read yet, so the guards are in another order than that of `servedBy` */
export const exchangeOf = (host: ArgumentsHost): Exchange => {
  const exchange = findExchange(host);
  if (exchange === undefined) throw new Error('the body of the request was not read yet');
  return exchange;
};

/**
 * One request and its one answer. The controller, a guard's refusal, an error and the deadline compete: the first of them is sent. A dialect says how the
 * body is read, who sent it, and how an answer is written.
 */
export abstract class Exchange<
  Operation extends { readonly name: string } = { readonly name: string },
  Answer = unknown,
> implements NamedRequest {
  /** Empty until one was assigned. */
  serial = '';
  readonly callerTrace: CallerTrace | undefined;
  protected abstract readonly group: Group;
  readonly #begun: BegunRequest;
  #refusal: Answer | undefined;
  #isAnswered = false;

  /** From here on the deadline answers a request that takes too long, and the controller's result is written by the dialect. */
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

  /** The authenticated merchant, whose rate is limited. @throws Error where the sender was not authenticated */
  abstract get merchant(): MerchantLogin;

  /** What the controller's method is given. @throws RefusedRequest */
  abstract admit(): object;

  /** @throws RefusedRequest */
  protected abstract readBody(body: Uint8Array): void;
  protected abstract malformed(message: string): Answer;
  protected abstract tooLarge(): Answer;
  protected abstract failed(name: FailureName, retryAfterMs?: number): Answer;
  protected abstract render(answer: Answer): RenderedAnswer;
  /** Nothing that the request says is logged before its sender is authenticated, but for the merchant that it names. */
  protected abstract about(answer: Answer): Pick<ServedRequest, 'merchant' | 'entryPoint' | 'orderId'>;
  /** A socket keeps its last request until the next one arrives, and would keep the card number with it. */
  protected abstract forget(): void;

  /** Assigns a serial-number and reads the body. @throws RefusedRequest */
  async receive(read: Exclude<ReadBody, { readonly kind: 'aborted' }>): Promise<void> {
    try {
      this.serial = await this.ports.serials.next();
    } catch (error) {
      this.ports.watch.failed(this, error);
      this.refuse(this.failed(this.nameWithoutSerial(error)));
    }
    this.deadline.named(this.serial);
    if (read.kind === 'too-large') return this.refuse(this.tooLarge());
    if (read.kind === 'no-room') return this.refuse(this.failed('no-room', NO_ROOM_RETRY_MS));
    if (read.kind === 'unsupported') return this.refuse(this.malformed('Content-Encoding must be identity'));
    this.readBody(read.body);
  }

  /** @throws RefusedRequest, on which `RefusalFilter` sends the refusal */
  refuse(refusal: Answer): never {
    this.#refusal = refusal;
    throw RefusedRequest.thrown;
  }

  refuseRate(retryAfterMs: number): never {
    return this.refuse(this.failed('rate-limited', retryAfterMs));
  }

  /** Sends the refusal that was set, or the failure that stands for the error. */
  fail(error: unknown): void {
    this.answer(error === RefusedRequest.thrown && this.#refusal !== undefined ? this.#refusal : this.#failure(error));
  }

  /** Ends the exchange. An answer that comes after the deadline's is dropped. */
  answer(answer: Answer): void {
    this.#send(answer);
    this.#begun.end();
    this.forget();
  }

  /** The failure of a request for which no serial-number could be reserved. */
  protected nameWithoutSerial(error: unknown): FailureName {
    return failureNameOf(error);
  }

  /** Every error is reported, even one that comes after the request was answered. */
  #failure(error: unknown): Answer {
    this.ports.watch.failed(this, error);
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
    this.ports.watch.served(request, this.group);
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
