import type { Request, Response } from 'express';
import type { Failpoints } from '@app/kernel';
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
import { writeAnswersOf, type HeldBody } from '@app/http-server';
import type { NamedRequest } from '@app/order-processing';
import type { Sender } from './admitted-request';
import { refused, type Answer, type Answered, type Refused } from './answers/answer';
import { writeGroupAAnswer } from './answers/write-answer';
import type { MerchantApiWatch } from './merchant-api.watch';
import { RefusedRequest, type AccessDenied } from './refused-request';
import type { ServedOperation } from './served-operation';

export interface GroupAExchangePorts {
  readonly deadlines: RequestDeadlines;
  readonly failpoints: Failpoints;
  readonly watch: MerchantApiWatch;
}

/** The last part of a path: an endpoint or a group, which need not exist. */
export interface EntryPointNamed {
  readonly kind: EntryPoint['kind'];
  readonly id: string;
}

/** A request whose body has come, before anything of it was looked at. */
export interface ArrivedRequest {
  readonly operation: ServedOperation;
  /** As the path names it. */
  readonly entryPoint: EntryPointNamed;
  readonly request: Request;
  readonly response: Response;
  readonly body: HeldBody;
  /** Of the process's own clock, in milliseconds. */
  readonly startedAt: number;
}

interface Told {
  readonly answer: Answer | AccessDenied;
  readonly status?: number;
  /** Where it is not the request's own. */
  readonly serial?: string;
  readonly isNamed?: boolean;
}

/** The process holds as many bytes of bodies as it may. */
export const NO_ROOM_STATUS = 503;

const EXCHANGE = Symbol('Group A exchange');

interface Exchanged extends Request {
  [EXCHANGE]?: GroupAExchange;
}

/** What a request became when its body had come; undefined before. */
export const exchangeIn = (request: Request): GroupAExchange | undefined => (request as Exchanged)[EXCHANGE];

/**
 * One request of Group A and its one answer: what is known of it by now, for whoever comes next on its way and for the answer that its deadline may ask for
 * in between. Whatever comes after the answer is dropped.
 */
export class GroupAExchange implements NamedRequest {
  /** Empty until the request got one. */
  serial = '';
  readonly callerTrace: CallerTrace | undefined;
  readonly #begun: BegunRequest;
  #clientOrderId: string | undefined;
  #merchant: string | undefined;
  #form: Form | undefined;
  #sender: Sender | undefined;
  #refusal: Told | undefined;
  #isAdmitted = false;
  #isAnswered = false;

  private constructor(
    readonly arrived: ArrivedRequest,
    private readonly ports: GroupAExchangePorts,
  ) {
    this.callerTrace = readTraceparent(arrived.request.headers['traceparent']);
    this.#begun = ports.deadlines.begin((mayBeStored) => this.#answer({ answer: this.#failure(tooLate(mayBeStored)) }));
  }

  /** From now on the request is answered within its time, and what its controller returns is written as an answer of Group A. */
  static begin(arrived: ArrivedRequest, ports: GroupAExchangePorts): GroupAExchange {
    const exchange = new GroupAExchange(arrived, ports);
    (arrived.request as Exchanged)[EXCHANGE] = exchange;
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
    if (this.#form === undefined) throw new Error('a form is read before anything is asked of it');
    return this.#form;
  }

  get sender(): Sender {
    if (this.#sender === undefined) throw new Error('a sender is known before anything is asked of him');
    return this.#sender;
  }

  named(serial: string): void {
    this.serial = serial;
    this.deadline.named(serial);
  }

  formRead(form: Form): void {
    this.#form = form;
    this.#clientOrderId = readClientOrderId(form);
  }

  /** The entry point's merchant was named, and proved nothing yet. */
  merchantNamed(login: string): void {
    this.#merchant = login;
  }

  sentBy(sender: Sender): void {
    this.#sender = sender;
    this.#merchant = sender.merchant.login;
  }

  /** Its fields hold: what fails from now on is told with the request's own identifiers. */
  admitted(): void {
    this.#isAdmitted = true;
  }

  /** Its request goes no further. @throws RefusedRequest */
  refuse(refusal: Refused | AccessDenied, status = 200): never {
    this.#refusal = { answer: refusal, status };
    throw RefusedRequest.thrown;
  }

  /** Answers with what the controller returned. */
  answer(value: Answered): void {
    this.#begun.end();
    this.#answer('serial' in value ? value : { answer: value });
  }

  /** Answers with the refusal of the request, and with code 20, 21 or 99 for anything else. */
  fail(error: unknown): void {
    this.#begun.end();
    if (error === RefusedRequest.thrown && this.#refusal !== undefined) this.#answer(this.#refusal);
    else this.#answer({ answer: this.#failure(error), isNamed: this.#isAdmitted });
  }

  #failure(error: unknown): Refused {
    this.ports.watch.failed(this, error);
    if (error instanceof StoreUnavailable || error instanceof VaultUnavailable) return refused('temporarily-unavailable');
    return refused(error instanceof OutcomeUnknown ? 'acceptance-unknown' : 'internal');
  }

  #answer({ answer, status = 200, serial = this.serial, isNamed = true }: Told): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    const { operation, request, response, body, startedAt } = this.arrived;
    const clientOrderId = isNamed ? this.#clientOrderId : undefined;
    try {
      writeGroupAAnswer(request, response, { answer, status, clientOrderId, ownSerial: this.serial, serial });
      this.ports.failpoints.reach('P4');
      this.ports.watch.served({
        operation: operation.name,
        serial: this.serial,
        ...(this.callerTrace !== undefined && { trace: traceIdOf(this.callerTrace) }),
        merchant: isNamed ? this.#merchant : undefined,
        outcome: outcomeOf(answer, status),
        durationMs: performance.now() - startedAt,
      });
    } finally {
      body.release();
    }
  }
}

const outcomeOf = (answer: Answer | AccessDenied, status: number): string => {
  if (status === NO_ROOM_STATUS) return 'no-room';
  if (answer.kind === 'refused') return answer.name;
  return answer.kind === 'access-denied' ? answer.kind : 'answered';
};

const tooLate = (mayBeStored: boolean): Error =>
  mayBeStored
    ? new OutcomeUnknown('the request took too long, and something of it was sent to the log')
    : new StoreUnavailable('the request took too long');
