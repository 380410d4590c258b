import { isOrderId, type ClientOrderId, type Currency, type Deadline, type MerchantLogin } from '@app/kernel';
import {
  amountFollowUpControl,
  CaptureRequest,
  isControl,
  orderControl,
  ReturnRequest,
  trimmed,
  VoidRequest,
  type ControlKey,
  type OrderNamed,
} from '@app/gateway-protocol';
import type { FollowUpRefused, FollowUpRequested, FollowUpAcceptedAnswer } from '@app/order-processing';
import type { FollowUpKind } from '@app/order-processing/domain';
import {
  refused,
  type AdmittedRequest,
  type Answer,
  type ControlProof,
  type GroupAOperation,
  type Signed,
  type ExistingAnswer,
} from '../operation';
import type { Refusals } from '../order-intake';
import { isOffered } from '../served';
import { isFollowUpOfRebill } from '../shared-text';
import { existingFollowUp, type ExistingOrders } from '../existing-order';

/** Takes follow-ups in; order-processing's handler. */
export interface TakesFollowUps {
  handle(request: FollowUpRequested): Promise<FollowUpAcceptedAnswer | FollowUpRefused>;
}

const REFUSALS: Refusals<FollowUpRefused['reason']> = {
  'order-unknown': { name: 'unknown-order' },
  'order-not-final': { name: 'order-not-final' },
  'operation-not-possible': { name: 'operation-not-possible' },
  'operation-not-supported': { name: 'operation-not-supported' },
  'gate-not-configured': { name: 'operation-not-supported', message: 'The gate of the order is not connected any more' },
  'amount-out-of-range': { name: 'amount-out-of-range' },
  'currency-not-served': { name: 'currency-not-served' },
};

export interface FollowUpPorts {
  readonly handler: TakesFollowUps;
  readonly orders: ExistingOrders;
}

type FollowUpMessage = VoidRequest & Partial<Pick<ReturnRequest, 'amount' | 'currency' | 'comment'>>;

/** What tells the follow-ups apart; the same word on the wire and within. */
interface FollowUp<Message extends object> {
  readonly name: FollowUpKind;
  readonly message: new () => Message;
  readonly amount: 'none' | 'optional';
}
export const CAPTURE: FollowUp<CaptureRequest> = { name: 'capture', message: CaptureRequest, amount: 'optional' };
export const RETURN: FollowUp<ReturnRequest> = { name: 'return', message: ReturnRequest, amount: 'optional' };
export const VOID: FollowUp<VoidRequest> = { name: 'void', message: VoidRequest, amount: 'none' };

/** Capture, return and void of an order, through any entry point of its merchant (protocol decisions, sections 1 and 10). */
export class FollowUpOperation<Message extends FollowUpMessage> implements GroupAOperation<Message> {
  readonly name;
  readonly message;
  readonly amount;
  readonly proof: ControlProof;

  constructor(
    { name, message, amount }: FollowUp<Message>,
    private readonly ports: FollowUpPorts,
  ) {
    this.name = name;
    this.message = message;
    this.amount = amount;
    this.proof = { kind: 'control', hasLogin: true, isSigned: (signed, key) => this.isSigned(signed, key) };
  }

  async perform({ message, entryPoint, merchant, serial, callerTrace, deadline, amountMinor }: AdmittedRequest<Message>): Promise<Answer> {
    if (!isOffered(entryPoint, this.name)) return refused('operation-not-supported');
    const { client_orderid, orderid: orderId, amount, currency, comment } = message;
    if (!isOrderId(orderId)) return refused('unknown-order');
    const outcome = await this.ports.handler.handle({
      merchant: merchant.login,
      clientOrderId: client_orderid as ClientOrderId,
      orderId,
      kind: this.name,
      ...(amount !== undefined && { amount: { minor: amountMinor, currency: currency as Currency } }),
      ...(comment !== undefined && { comment }),
      serial,
      callerTrace,
      deadline,
    });
    if (outcome.reason !== 'accepted') {
      const { name, message } = REFUSALS[outcome.reason];
      return refused(name, message);
    }
    return { kind: 'accepted', clientOrderId: client_orderid, orderId: outcome.orderId, endpointId: outcome.endpointId };
  }

  existing(request: AdmittedRequest<Message>): Promise<ExistingAnswer | undefined> {
    const { orderid } = request.message;
    return isOrderId(orderid) ? existingFollowUp(this.ports.orders, orderid, request) : Promise.resolve(undefined);
  }

  private async isSigned({ form, amountMinor, deadline }: Signed, key: ControlKey): Promise<boolean> {
    const named = { login: form.text('login'), clientOrderId: form.text('client_orderid'), orderId: form.text('orderid') };
    const sent = form.text('control');
    if (this.amount === 'optional' && form.text('amount') !== '') {
      const signed = { amountMinor, currency: form.text('currency') };
      const isSigned = isControl(amountFollowUpControl(named, signed, key), sent);
      return isSigned && !(await isFollowUpOfRebill(this.ports.orders, named, signed, deadline));
    }
    return (
      isControl(orderControl(named, key), sent) || (this.name === 'capture' && (await this.isSignedInFull(named, sent, key, deadline)))
    );
  }

  /** An observed client signs a full capture with the order's amount and currency and sends neither (protocol decisions, section 5). */
  private async isSignedInFull(named: OrderNamed, sent: string, key: ControlKey, deadline: Deadline | undefined): Promise<boolean> {
    const [login, clientOrderId, orderId] = [named.login, named.clientOrderId, named.orderId].map(trimmed) as [string, string, string];
    // Looked for under any login: a stranger's takes as long as an order that does not exist (safety, T10).
    const order = isOrderId(orderId)
      ? await this.ports.orders.find(login as MerchantLogin, clientOrderId as ClientOrderId, orderId, deadline)
      : undefined;
    const full = { amountMinor: BigInt(order?.amountMinor ?? 0), currency: order?.currency ?? '' };
    return isControl(amountFollowUpControl(named, full, key), sent) && order !== undefined;
  }
}
