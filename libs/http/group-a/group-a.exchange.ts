import type { Request, Response } from 'express';
import { isOrderId, type Failpoints } from '@app/kernel';
import { VaultUnavailable } from '@app/card-vault';
import type { EntryPoint } from '@app/configuration';
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
import { readClientOrderId, type Form } from '@app/gateway-protocol';
import type { NamedRequest } from '@app/orders';
import { writeAnswersOf } from '../server/answer-writer';
import type { HeldBody } from '../server/read-body';
import { RefusedRequest } from '../request/refused-request';
import type { Sender } from './admitted-request';
import { refused, type AccessDenied, type Answer, type Answered, type Refused } from './answer';
import { writeGroupAAnswer } from './write-answer';
import type { MerchantApiWatch, ServedRequest } from './merchant-api.watch';
import type { ServedOperation } from './served-operation';

export interface GroupAExchangePorts {
  readonly deadlines: RequestDeadlines;
  readonly failpoints: Failpoints;
  readonly watch: MerchantApiWatch;
}

/** The endpoint or group that a path ends with, which need not exist. */
export interface EntryPointInPath {
  readonly kind: EntryPoint['kind'];
  readonly id: string;
}

/** A request whose body was read. */
export interface ArrivedRequest {
  readonly operation: ServedOperation;
  readonly entryPoint: EntryPointInPath;
  readonly request: Request;
  readonly response: Response;
  /** Not the body itself, which holds the card number and would stay as long as the exchange. */
  readonly releaseBody: HeldBody['release'];
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
}

interface FinalAnswer {
  readonly answer: Answer | AccessDenied;
  readonly status?: number;
  /** Absent where the answer carries the request's own serial-number. */
  readonly serial?: string;
}

/** The status of a request that met a full body budget. */
export const NO_ROOM_STATUS = 503;

const EXCHANGE = Symbol('Group A exchange');

interface RequestWithExchange extends Request {
  [EXCHANGE]?: GroupAExchange;
}

/** The exchange of a request; undefined until its body was read. */
export const exchangeIn = (request: Request): GroupAExchange | undefined => (request as RequestWithExchange)[EXCHANGE];

/**
 * One request of Group A and its one answer. It collects what the guards find out, because the deadline may have to answer between any two of them. An
 * answer that comes after the first is dropped.
 */
export class GroupAExchange implements NamedRequest {
  /** Empty until one was assigned. */
  serial = '';
  readonly callerTrace: CallerTrace | undefined;
  readonly #begun: BegunRequest;
  #clientOrderId: string | undefined;
  #merchant: string | undefined;
  #form: Form | undefined;
  #sender: Sender | undefined;
  #refusal: FinalAnswer | undefined;
  #isAnswered = false;

  private constructor(
    readonly arrived: ArrivedRequest,
    private readonly ports: GroupAExchangePorts,
  ) {
    this.callerTrace = readTraceparent(arrived.request.headers['traceparent']);
    this.#begun = ports.deadlines.begin((mayBeStored) => this.#answer({ answer: this.#failure(deadlinePassed(mayBeStored)) }));
  }

  /** From here on the deadline answers a request that takes too long, and the controller's result is written in the interface's form. */
  static begin(arrived: ArrivedRequest, ports: GroupAExchangePorts): GroupAExchange {
    const exchange = new GroupAExchange(arrived, ports);
    (arrived.request as RequestWithExchange)[EXCHANGE] = exchange;
    writeAnswersOf(arrived.response, (value) => exchange.answer(value as Answered));
    return exchange;
  }

  get operation(): ServedOperation {
    return this.arrived.operation;
  }

  get deadline(): RequestDeadline {
    return this.#begun.deadline;
  }

  get form(): Form {
    if (this.#form === undefined) throw new Error('the form was not read yet');
    return this.#form;
  }

  get sender(): Sender {
    if (this.#sender === undefined) throw new Error('the sender was not authenticated yet');
    return this.#sender;
  }

  assignSerial(serial: string): void {
    this.serial = serial;
    this.deadline.named(serial);
  }

  setForm(form: Form): void {
    this.#form = form;
    this.#clientOrderId = readClientOrderId(form);
  }

  /** The merchant that the request names without having proved it, for the log only. */
  setClaimedMerchant(login: string): void {
    this.#merchant = login;
  }

  setSender(sender: Sender): void {
    this.#sender = sender;
    this.#merchant = sender.merchant.login;
  }

  /** @throws RefusedRequest, on which `RefusalFilter` sends the refusal */
  refuse(refusal: Refused | AccessDenied, status = 200): never {
    this.#refusal = { answer: refusal, status };
    throw RefusedRequest.thrown;
  }

  answer(value: Answered): void {
    this.#end('serial' in value ? value : { answer: value });
  }

  /** Sends the refusal that was set; any other error becomes code 20, 21 or 99. */
  fail(error: unknown): void {
    this.#end(error === RefusedRequest.thrown && this.#refusal !== undefined ? this.#refusal : { answer: this.#failure(error) });
  }

  #end(answer: FinalAnswer): void {
    this.#begun.end();
    this.#answer(answer);
    // A socket keeps its last request until the next one comes, and the form holds the card number.
    this.#form = undefined;
  }

  /** Nothing that the request says is logged before its sender is authenticated. */
  #orderIn(answer: Answer | AccessDenied): Pick<ServedRequest, 'entryPoint' | 'orderId'> {
    if (this.#sender === undefined) return {};
    const orderId = orderIdIn(answer) ?? this.#form?.text('orderid');
    return { entryPoint: this.#sender.entryPoint.id, ...(orderId !== undefined && isOrderId(orderId) && { orderId }) };
  }

  #failure(error: unknown): Refused {
    this.ports.watch.failed(this, error);
    if (error instanceof StoreUnavailable || error instanceof VaultUnavailable) return refused('temporarily-unavailable');
    return refused(error instanceof OutcomeUnknown ? 'acceptance-unknown' : 'internal');
  }

  #answer({ answer, status = 200, serial = this.serial }: FinalAnswer): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    const { operation, request, response, releaseBody, startedAt } = this.arrived;
    const clientOrderId = this.#clientOrderId;
    try {
      writeGroupAAnswer(request, response, { answer, httpStatus: status, clientOrderId, ownSerial: this.serial, serial });
      this.ports.failpoints.reach('P4');
      this.ports.watch.served({
        operation: operation.name,
        serial: this.serial,
        ...(this.callerTrace !== undefined && { trace: traceIdOf(this.callerTrace) }),
        merchant: this.#merchant,
        ...this.#orderIn(answer),
        outcome: outcomeOf(answer, status),
        durationMs: performance.now() - startedAt,
      });
    } finally {
      releaseBody();
    }
  }
}

const orderIdIn = (answer: Answer | AccessDenied): string | undefined => {
  if (answer.kind === 'accepted') return answer.orderId;
  return answer.kind === 'answer' ? answer.pairs.find(([name]) => name === 'paynet-order-id')?.[1] : undefined;
};

const outcomeOf = (answer: Answer | AccessDenied, status: number): string => {
  if (status === NO_ROOM_STATUS) return 'no-room';
  if (answer.kind === 'refused') return answer.name;
  return answer.kind === 'access-denied' ? answer.kind : 'answered';
};

const deadlinePassed = (mayBeStored: boolean): Error =>
  mayBeStored
    ? new OutcomeUnknown('the request took too long, and something of it was sent to the log')
    : new StoreUnavailable('the request took too long');
