import { HttpStatus, Inject, Param, Post } from '@nestjs/common';
import { Matches } from 'class-validator';
import type { Operator } from '@app/configuration';
import { HttpReply, type Refused } from '@app/http/server';
import { actingFor, FOLLOW_UP_ACTIONS, FollowUpService, type FollowUpRequestAnswer, OrderNames } from '@app/investigation';
import { REFUSALS } from '@app/gateway-protocol';
import { AMOUNT_GRAMMAR, parseAmount, present, type Currency } from '@app/kernel';
import { FOLLOW_UP_REFUSALS } from '@app/orders/http';
import type { FollowUpKind } from '@app/orders/domain';
import type { FollowUpSummary } from '@app/read-models/queries';
import { Action } from './action.pipe';
import { approvalReply, isUnderApproval, type ApprovalReply } from './approval-reply';
import { FourEyes } from './four-eyes';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { ApprovableAction, merchantIn, optional } from './operator.requests';
import { NotRecorded, Reference } from './read-action';

const KEY = /^[\x21-\x7e]{8,128}$/;

/** The whole amount of a sale is to be voided before the gate clears it. */
class VoidOrderRequest extends ApprovableAction {
  /** Chosen by the caller. The same key again is the same request, so that a repeat moves no money twice. */
  @NotRecorded()
  @Matches(KEY, { message: 'key must have 8 to 128 visible characters without blanks' })
  readonly key!: string;
}

/** Money is to be returned or captured. */
class MoveMoneyRequest extends VoidOrderRequest {
  /** In major units. Absent for all that is left. */
  @optional(Reference(), Matches(AMOUNT_GRAMMAR, { message: 'amount must be in major units, such as "10.00"' }))
  readonly amount?: string;

  /** Default: the currency of the order. */
  @optional(Matches(/^[A-Z]{3}$/, { message: 'currency must be three upper-case letters' }))
  readonly currency?: string;
}

interface RequestedFollowUp {
  readonly orderId: string;
  readonly followUp: FollowUpSummary;
}
type FollowUpReply = HttpReply<RequestedFollowUp> | HttpReply<Refused & { readonly code: number }, 409> | ApprovalReply;

const replyTo = (orderId: string, answer: FollowUpRequestAnswer, gap: Pick<Refused, 'index'>): FollowUpReply => {
  if (answer.reason === 'accepted') return HttpReply.json(HttpStatus.OK, { orderId, followUp: answer.followUp });
  if (answer.reason === 'unknown-order') return HttpReply.json(HttpStatus.NOT_FOUND, { error: answer.reason, ...gap });
  if (answer.reason === 'key-reused')
    return HttpReply.json(HttpStatus.CONFLICT, { error: 'key was used for another amount', code: REFUSALS['client-orderid-reused'].code });
  const { name, message } = FOLLOW_UP_REFUSALS[answer.reason];
  return HttpReply.json(HttpStatus.CONFLICT, { error: message ?? REFUSALS[name].message, code: REFUSALS[name].code });
};

/** What a merchant may do with its approved order, by an operator and by the same rules. */
@OperatorRoutes('orders')
export class OperatorFollowUpsController {
  constructor(
    @Inject(FollowUpService) private readonly followUps: FollowUpService,
    @Inject(FourEyes) private readonly fourEyes: FourEyes,
    @Inject(OrderNames) private readonly names: OrderNames,
  ) {}

  /**
   * Returns money to the payer, or releases a part of a preauthorisation that was not captured
   * @example {"amount": "10.00", "reason": "The goods did not arrive, ticket 4711", "key": "ticket-4711"}
   * @answer 200 The follow-up is accepted, now or by an earlier request with this key. The merchant is notified of its outcome
   * @answer 202 It waits for the approval of a second person
   * @answer 409 Refused, with the code of the merchant API: `error` gives the reason
   */
  @Post(':orderId/returns')
  @OperatorRequest('return-order')
  return(
    @Param('orderId') orderId: string,
    @Action(MoveMoneyRequest) message: MoveMoneyRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<FollowUpReply> {
    return this.request('return', orderId, message, operator);
  }

  /**
   * Captures a preauthorised amount
   * @example {"reason": "The shop has no access to its system", "key": "ticket-4712"}
   * @answer 200 The follow-up is accepted, now or by an earlier request with this key. The merchant is notified of its outcome
   * @answer 202 It waits for the approval of a second person
   * @answer 409 Refused, with the code of the merchant API: `error` gives the reason
   */
  @Post(':orderId/captures')
  @OperatorRequest('capture-order')
  capture(
    @Param('orderId') orderId: string,
    @Action(MoveMoneyRequest) message: MoveMoneyRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<FollowUpReply> {
    return this.request('capture', orderId, message, operator);
  }

  /**
   * Voids a sale that the gate has not cleared
   * @example {"reason": "The payer was charged by mistake", "key": "ticket-4713"}
   * @answer 200 The follow-up is accepted, now or by an earlier request with this key. The merchant is notified of its outcome
   * @answer 202 It waits for the approval of a second person
   * @answer 409 Refused, with the code of the merchant API: `error` gives the reason
   */
  @Post(':orderId/voids')
  @OperatorRequest('void-order')
  void(
    @Param('orderId') orderId: string,
    @Action(VoidOrderRequest) message: VoidOrderRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<FollowUpReply> {
    return this.request('void', orderId, message, operator);
  }

  private async request(kind: FollowUpKind, orderId: string, message: MoveMoneyRequest, operator: Operator): Promise<FollowUpReply> {
    const { key, reason, amount, currency, alone: isAlone = false } = message;
    const minor = amount === undefined ? undefined : parseAmount(amount);
    if (amount !== undefined && (minor === undefined || minor === 0n))
      return HttpReply.json(HttpStatus.BAD_REQUEST, { error: 'amount must be in major units and above zero, such as "10.00"' });
    if (currency !== undefined && amount === undefined)
      return HttpReply.json(HttpStatus.BAD_REQUEST, { error: 'amount and currency must be given together' });
    const wish = {
      action: FOLLOW_UP_ACTIONS[kind],
      target: orderId,
      keyDigest: this.followUps.keyDigest(kind, key),
      ...present({ merchant: merchantIn(message), amountMinor: minor, currency: currency as Currency | undefined }),
    };
    const answer = await this.fourEyes.perform(wish, { reason, isAlone }, actingFor(operator, message));
    return isUnderApproval(answer) ? approvalReply(answer) : replyTo(orderId, answer, await this.names.gapOf(answer));
  }
}
