import { MethodNotAllowedException } from '@nestjs/common';
import type { Request } from 'express';
import { isOrderId, type MerchantLogin } from '@app/kernel';
import type { EntryPoint, OperationName } from '@app/configuration';
import {
  ASYNC_FIELDS,
  contentTypeRefusal,
  IDEMPOTENCY_KEY_HEADER,
  inKib,
  inWireOrder,
  messagePage,
  PAGE_POLICY,
  parseForm,
  readClientOrderId,
  readIdempotencyKey,
  REFUSAL_FIELDS,
  refusalResponse,
  validateMessage,
  writeAnswer,
  type AsyncResponse,
  type Form,
  type GroupAOperationRow,
} from '@app/gateway-protocol';
import type { Dialect } from '../request/body.guard';
import { Exchange, type ArrivedRequest, type FailureName, type RenderedAnswer, type ServedRequest } from '../request/exchange';
import { HTML_TYPE } from '../server/http-reply';
import type { AdmittedRequest, Sender } from './translation';
import { refused, type Accepted, type AccessDenied, type Answer, type Answered, type Refused } from './answer';

export type GroupARow = GroupAOperationRow & { readonly name: OperationName };

export interface EntryPointInPath {
  readonly kind: EntryPoint['kind'];
  readonly id: string;
}

const TOO_LARGE_STATUS = 413;
const NO_ROOM_STATUS = 503;

/** One page for every cause, so that it gives no hint (interface, section 5.2; safety, T8). */
const DENIED_PAGE = messagePage({ title: 'Access is denied', message: 'Access is denied.' });

/** A form request. The Accept header selects the format of the response. */
export class GroupAExchange extends Exchange<GroupARow, Answered | AccessDenied> {
  protected readonly group = 'a';
  readonly entryPoint = entryPointIn(this.arrived.request);
  #clientOrderId: string | undefined;
  #merchant: string | undefined;
  #form: Form | undefined;
  #sender: Sender | undefined;

  get form(): Form {
    if (this.#form === undefined) throw new Error('the form was not read yet');
    return this.#form;
  }

  get merchant(): MerchantLogin {
    return this.#authenticated().merchant.login;
  }

  /** Not authenticated, for the log only. */
  setClaimedMerchant(login: string): void {
    this.#merchant = login;
  }

  setSender(sender: Sender): void {
    this.#sender = sender;
    this.#merchant = sender.merchant.login;
  }

  /**
   * Validates fields only after authentication, so that an unauthenticated caller learns nothing about them (protocol
   * decisions, D4.3).
   */
  admit(): AdmittedRequest<object> {
    const { operation } = this.arrived;
    const { entryPoint, merchant, amountMinor } = this.#authenticated();
    const valid = validateMessage(operation.message, this.form);
    if ('refused' in valid) return this.refuse(this.malformed(valid.refused.message));
    const idempotencyKey = operation.isKeyed ? this.#idempotencyKey() : undefined;
    this.ports.failpoints.reach('P1');
    return {
      operation: operation.name,
      message: valid.ok,
      entryPoint,
      merchant,
      amountMinor,
      serial: this.serial,
      callerTrace: this.callerTrace,
      receivedAt: this.ports.clock.now(),
      idempotencyKey,
      deadline: this.deadline,
    };
  }

  protected readBody(body: Uint8Array): void {
    const wrongType = contentTypeRefusal(this.arrived.request.headers['content-type']);
    const parsed = wrongType === undefined ? parseForm(body) : { refused: wrongType };
    if ('refused' in parsed) return this.refuse(this.malformed(parsed.refused.message));
    this.#form = parsed.ok;
    this.#clientOrderId = readClientOrderId(parsed.ok);
  }

  protected malformed(message: string): Refused {
    return refused('malformed-field', message);
  }

  protected tooLarge(): Refused {
    const message = `The request is larger than ${inKib(this.arrived.operation.formBytesMax)}`;
    return { ...this.malformed(message), status: TOO_LARGE_STATUS };
  }

  protected failed(name: FailureName, retryAfterMs?: number): Refused {
    const refusal = name === 'no-room' ? { ...refused('temporarily-unavailable'), status: NO_ROOM_STATUS } : refused(name);
    return { ...refusal, retryAfterMs };
  }

  /** Without a serial-number nothing is accepted, so the outcome is never unknown. */
  protected override nameWithoutSerial(): FailureName {
    return 'temporarily-unavailable';
  }

  protected render(value: Answered | AccessDenied): RenderedAnswer {
    const { answer, serial } = 'serial' in value ? value : { answer: value, serial: this.serial };
    if (answer.kind === 'access-denied') {
      const http = { status: 403, contentType: HTML_TYPE, policy: PAGE_POLICY, body: DENIED_PAGE };
      return { http, served: { outcome: answer.kind } };
    }
    const { accept } = this.arrived.request.headers;
    if (answer.kind === 'refused') {
      const { name, message, status = 200, retryAfterMs } = answer;
      const response = refusalResponse({ name, serialNumber: serial, clientOrderId: this.#clientOrderId, message });
      const http = { status, ...writeAnswer(accept, inWireOrder(REFUSAL_FIELDS, response)) };
      return { http, retryAfterMs, served: { outcome: status === NO_ROOM_STATUS ? 'no-room' : name } };
    }
    const pairs = answer.kind === 'accepted' ? asyncAnswer(serial, answer) : answer.pairs;
    return { http: { status: 200, ...writeAnswer(accept, pairs) }, served: { outcome: 'answered' } };
  }

  protected about(value: Answered | AccessDenied): Pick<ServedRequest, 'merchant' | 'entryPoint' | 'orderId' | 'signedWith'> {
    const merchant = this.#merchant;
    if (this.#sender === undefined) return { merchant };
    const orderId = orderIdIn('serial' in value ? value.answer : value) ?? this.#form?.text('orderid');
    const { entryPoint, signedWith } = this.#sender;
    return {
      merchant,
      entryPoint: entryPoint.id,
      ...(orderId !== undefined && isOrderId(orderId) && { orderId }),
      ...(signedWith && { signedWith }),
    };
  }

  protected forget(): void {
    this.#form = undefined;
  }

  #authenticated(): Sender {
    if (this.#sender === undefined) throw new Error('the sender was not authenticated yet');
    return this.#sender;
  }

  #idempotencyKey(): string | undefined {
    const { headers, headersDistinct } = this.arrived.request;
    if (headers[IDEMPOTENCY_KEY_HEADER] === undefined) return undefined;
    const key = readIdempotencyKey(headersDistinct[IDEMPOTENCY_KEY_HEADER] ?? []);
    return 'refused' in key ? this.refuse(this.malformed(key.refused.message)) : key.ok;
  }
}

export const GROUP_A: Dialect = {
  // No path of the interface needs an escape, so an escaped path is unknown (protocol decisions, D1.3).
  isPath: ({ path }) => !path.includes('%'),
  refuseMethod: () => {
    throw new MethodNotAllowedException();
  },
  begin: (arrived: ArrivedRequest<GroupARow>, ports) => new GroupAExchange(arrived, ports),
};

const entryPointIn = ({ params: { endpointId, groupId } }: Request): EntryPointInPath =>
  groupId === undefined ? { kind: 'endpoint', id: String(endpointId) } : { kind: 'group', id: String(groupId) };

const asyncAnswer = (serial: string, { clientOrderId, orderId, endpointId }: Accepted): readonly (readonly [string, string])[] => {
  const response: AsyncResponse = {
    type: 'async-response',
    'serial-number': serial,
    'merchant-order-id': clientOrderId,
    'paynet-order-id': orderId,
    'end-point-id': endpointId,
  };
  return inWireOrder(ASYNC_FIELDS, response);
};

const orderIdIn = (answer: Answer | AccessDenied): string | undefined => {
  if (answer.kind === 'accepted') return answer.orderId;
  return answer.kind === 'answer' ? answer.pairs.find(([name]) => name === 'paynet-order-id')?.[1] : undefined;
};
