import { Controller, Inject } from '@nestjs/common';
import { isOrderId, type ClientOrderId, type Currency } from '@app/kernel';
import type { CaptureRequest, ReturnRequest, VoidRequest } from '@app/gateway-protocol';
import {
  type AdmittedRequest,
  refused,
  type Answer,
  type Refusals,
  type ExistingAnswer,
  type KeyedTranslation,
  findExistingFollowUp,
  type ExistingOrders,
  Admitted,
  type Answered,
  GroupAOperation,
  type Serves,
  IdempotencyKeys,
} from '@app/http/group-a';
import type { FollowUpRefused, RequestFollowUpHandler } from '../application/work/request-follow-up.handler';
import type { FollowUpKind } from '../domain/request-follow-up';
import { isOffered } from './order-intake';

export const FOLLOW_UP_REFUSALS: Refusals<FollowUpRefused['reason']> = {
  'order-unknown': { name: 'unknown-order' },
  'order-not-final': { name: 'order-not-final' },
  'operation-not-possible': { name: 'operation-not-possible' },
  'operation-not-supported': { name: 'operation-not-supported' },
  'gate-not-configured': { name: 'operation-not-supported', message: 'The gate of the order is not connected any more' },
  'order-moved': { name: 'operation-not-possible', message: 'The order changed during the request' },
  'amount-out-of-range': { name: 'amount-out-of-range' },
  'currency-not-served': { name: 'currency-not-served' },
};

interface FollowUpPorts {
  readonly handler: Pick<RequestFollowUpHandler, 'handle'>;
  readonly orders: ExistingOrders;
}

type FollowUpMessage = VoidRequest & Partial<Pick<ReturnRequest, 'amount' | 'currency' | 'comment'>>;

/** Accepted through any entry point of the order's merchant (protocol decisions, D1.7). */
class FollowUpTranslation<Message extends FollowUpMessage> implements KeyedTranslation<Message> {
  constructor(
    private readonly kind: FollowUpKind,
    private readonly ports: FollowUpPorts,
  ) {}

  async perform({ message, entryPoint, merchant, serial, callerTrace, deadline, amountMinor }: AdmittedRequest<Message>): Promise<Answer> {
    if (!isOffered(entryPoint, this.kind)) return refused('operation-not-supported');
    const { client_orderid, orderid: orderId, amount, currency, comment } = message;
    if (!isOrderId(orderId)) return refused('unknown-order');
    const outcome = await this.ports.handler.handle({
      merchant: merchant.login,
      clientOrderId: client_orderid as ClientOrderId,
      orderId,
      kind: this.kind,
      ...(amount !== undefined && { amount: { minor: amountMinor, currency: currency as Currency } }),
      ...(comment !== undefined && { comment }),
      serial,
      callerTrace,
      deadline,
    });
    if (outcome.reason !== 'accepted') {
      const { name, message } = FOLLOW_UP_REFUSALS[outcome.reason];
      return refused(name, message);
    }
    return { kind: 'accepted', clientOrderId: client_orderid, orderId: outcome.orderId, endpointId: outcome.endpointId };
  }

  findExisting(request: AdmittedRequest<Message>): Promise<ExistingAnswer | undefined> {
    const { orderid } = request.message;
    return isOrderId(orderid) ? findExistingFollowUp(this.ports.orders, orderid, request) : Promise.resolve(undefined);
  }
}

export class FollowUpTranslations {
  readonly capture: KeyedTranslation<CaptureRequest>;
  readonly return: KeyedTranslation<ReturnRequest>;
  readonly void: KeyedTranslation<VoidRequest>;

  constructor(ports: FollowUpPorts) {
    this.capture = new FollowUpTranslation('capture', ports);
    this.return = new FollowUpTranslation('return', ports);
    this.void = new FollowUpTranslation('void', ports);
  }
}

@Controller('api')
export class FollowUpController implements Serves<'capture' | 'return' | 'void'> {
  constructor(
    @Inject(FollowUpTranslations) private readonly translations: FollowUpTranslations,
    @Inject(IdempotencyKeys) private readonly idempotency: IdempotencyKeys,
  ) {}

  @GroupAOperation('capture')
  capture(@Admitted() request: AdmittedRequest<CaptureRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.capture);
  }

  @GroupAOperation('return')
  return(@Admitted() request: AdmittedRequest<ReturnRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.return);
  }

  @GroupAOperation('void')
  void(@Admitted() request: AdmittedRequest<VoidRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.void);
  }
}
