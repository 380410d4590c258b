import { Get, HttpStatus, Inject, Param, Post, UseGuards } from '@nestjs/common';
import { IsBoolean, Length, Matches } from 'class-validator';
import type { Operator } from '@app/configuration';
import { POSITION } from '@app/event-store';
import { HttpReply, type Refused } from '@app/http/server';
import { isCardRefId, isOrderId, present, type Deadline } from '@app/kernel';
import {
  actingFor,
  ErasureService,
  OrderNames,
  RetentionPreviews,
  type CustomerFound,
  type Erased,
  type Erasing,
  type Holding,
  type RetentionPreview,
} from '@app/investigation';
import { Action } from './action.pipe';
import type { Wish } from './approvable-actions';
import { approvalReply, isUnderApproval, type ApprovalReply } from './approval-reply';
import { FourEyes } from './four-eyes';
import { NoQuestionGuard } from './no-question.guard';
import { CallerDeadline, NotRecorded } from './read-action';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { ApprovableAction, IsLogin, merchantIn, optional, OperatorActionRequest, OrderAction } from './operator.requests';

const CUSTOMER_LENGTH_MIN = 5;
const CUSTOMER_LENGTH_MAX = 254;

/** The personal data, texts and cards of an order are to be erased. */
class EraseOrderRequest extends ApprovableAction {
  /** Whether card references may be erased too. Otherwise an order with a live reference is refused. */
  @optional(IsBoolean({ message: 'endsReferences must be true or false' }))
  readonly endsReferences?: boolean;
}

class EraseCardRequest extends ApprovableAction {}

/** Nothing of the order is to be erased from here on. */
class HoldRequest extends OrderAction {}

/** The order may be erased again. */
class ReleaseRequest extends ApprovableAction {}

/** The orders of a payer are looked for. */
export class FindCustomerRequest extends OperatorActionRequest {
  @IsLogin()
  readonly merchant!: string;

  /** An e-mail address or a telephone number; neither stored nor logged. */
  @Length(CUSTOMER_LENGTH_MIN, CUSTOMER_LENGTH_MAX, { message: 'customer must be an e-mail address or a telephone number' })
  readonly customer!: string;

  /** The `next` of the previous page. */
  @optional(NotRecorded(), Matches(POSITION, { message: 'after must be the next of the previous page' }))
  readonly after?: string;
}

const ERASING_STATUS: Readonly<Record<Erasing['reason'], number>> = {
  erased: HttpStatus.OK,
  'erased-before': HttpStatus.OK,
  obstructed: HttpStatus.CONFLICT,
  'under-legal-hold': HttpStatus.CONFLICT,
  'unknown-order': HttpStatus.NOT_FOUND,
  'unknown-card-reference': HttpStatus.NOT_FOUND,
};
const HOLDING_STATUS: Readonly<Record<Holding['reason'], number>> = {
  placed: HttpStatus.OK,
  released: HttpStatus.OK,
  'held-before': HttpStatus.OK,
  'not-held': HttpStatus.CONFLICT,
  'under-way': HttpStatus.CONFLICT,
  'under-legal-hold': HttpStatus.CONFLICT,
  'erased-before': HttpStatus.CONFLICT,
  'nothing-new': HttpStatus.CONFLICT,
  'unknown-order': HttpStatus.NOT_FOUND,
};
const FOUND_STATUS: Readonly<Record<CustomerFound['reason'], number>> = {
  found: HttpStatus.OK,
  'unknown-merchant': HttpStatus.NOT_FOUND,
  'malformed-after': HttpStatus.BAD_REQUEST,
};

type Gap = Pick<Refused, 'index'>;

interface Held {
  readonly isHeld: boolean;
}

const erasingReply = (erasing: Erasing, gap: Gap = {}): HttpReply<Erased> => {
  const status = ERASING_STATUS[erasing.reason];
  if (erasing.reason === 'erased') {
    const { requestId, texts, cards } = erasing;
    return HttpReply.json(status, { requestId, texts, cards });
  }
  if (erasing.reason === 'erased-before') return HttpReply.json(status, { texts: 0, cards: 0 });
  const error = erasing.reason === 'obstructed' ? erasing.obstacles.join(', ') : erasing.reason;
  return HttpReply.json(status, { error, ...gap });
};

const holdingReply = ({ reason }: Holding, gap: Gap = {}): HttpReply<Held> => {
  const status = HOLDING_STATUS[reason];
  return HttpReply.json(status, status === (HttpStatus.OK as number) ? { isHeld: reason !== 'released' } : { error: reason, ...gap });
};

@OperatorRoutes()
export class OperatorErasureController {
  constructor(
    @Inject(ErasureService) private readonly erasures: ErasureService,
    @Inject(FourEyes) private readonly fourEyes: FourEyes,
    @Inject(RetentionPreviews) private readonly previews: RetentionPreviews,
    @Inject(OrderNames) private readonly names: OrderNames,
  ) {}

  /**
   * What the retention rules would erase in the next day, by merchant, and why the rest is kept
   * @answer 200 Counts of at most 200 orders, the longest due first. Not recorded: it names no order and no person
   */
  @Get('retention/preview')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('preview-retention')
  async preview(@CurrentOperator() operator: Operator): Promise<HttpReply<RetentionPreview>> {
    return HttpReply.json(HttpStatus.OK, await this.previews.preview(operator));
  }

  /**
   * Destroys an order’s cards and the keys of its personal data and texts. Its events do not change
   * @example {"reason": "The payer asked for it, ticket 4711", "endsReferences": true}
   * @answer 200 Erased; without `requestId` there was nothing to erase
   * @answer 202 It waits for the approval of a second person
   * @answer 409 The order is under legal hold, or its data are still needed: `error` gives the reason
   */
  @Post('orders/:orderId/erasure')
  @OperatorRequest('erase-order')
  async eraseOrder(
    @Param('orderId') orderId: string,
    @Action(EraseOrderRequest) message: EraseOrderRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<Erased> | ApprovalReply> {
    if (!isOrderId(orderId)) return erasingReply({ reason: 'unknown-order' });
    const { endsReferences } = message;
    const wish = { action: 'erase-order', target: orderId, ...present({ endsReferences, merchant: merchantIn(message) }) } as const;
    const answer = await this.perform(wish, message, operator);
    return isUnderApproval(answer) ? approvalReply(answer) : erasingReply(answer, await this.names.gapOf(answer));
  }

  /**
   * Destroys the card behind a reference, and all references to it
   * @example {"reason": "The payer asked for it, ticket 4711"}
   * @answer 200 Erased; without `requestId` there was nothing to erase
   * @answer 202 It waits for the approval of a second person
   * @answer 409 The order is under legal hold, or not final
   */
  @Post('card-references/:cardRefId/erasure')
  @OperatorRequest('erase-card')
  async eraseCard(
    @Param('cardRefId') cardRefId: string,
    @Action(EraseCardRequest) message: EraseCardRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<Erased> | ApprovalReply> {
    if (!isCardRefId(cardRefId)) return erasingReply({ reason: 'unknown-card-reference' });
    const wish = { action: 'erase-card', target: cardRefId, ...present({ merchant: merchantIn(message) }) } as const;
    const answer = await this.perform(wish, message, operator);
    return isUnderApproval(answer) ? approvalReply(answer) : erasingReply(answer);
  }

  /**
   * Prevents the erasure of an order, on request or by retention
   * @example {"reason": "A court asks for it, 12 O 3/26"}
   * @answer 200 The order is under legal hold, now or since before
   * @answer 409 The order is being erased
   */
  @Post('orders/:orderId/hold')
  @OperatorRequest('place-hold')
  async hold(
    @Param('orderId') orderId: string,
    @Action(HoldRequest) message: HoldRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<Held>> {
    if (!isOrderId(orderId)) return holdingReply({ reason: 'unknown-order' });
    const answer = await this.erasures.hold(orderId, message, actingFor(operator, message));
    return holdingReply(answer, await this.names.gapOf(answer));
  }

  /**
   * Lets an order be erased again
   * @example {"reason": "The case is closed"}
   * @answer 200 The legal hold is released
   * @answer 202 It waits for the approval of a second person
   * @answer 409 It is not held
   */
  @Post('orders/:orderId/hold/release')
  @OperatorRequest('release-hold')
  async release(
    @Param('orderId') orderId: string,
    @Action(ReleaseRequest) message: ReleaseRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<Held> | ApprovalReply> {
    if (!isOrderId(orderId)) return holdingReply({ reason: 'unknown-order' });
    const wish = { action: 'release-hold', target: orderId, ...present({ merchant: merchantIn(message) }) } as const;
    const answer = await this.perform(wish, message, operator);
    return isUnderApproval(answer) ? approvalReply(answer) : holdingReply(answer, await this.names.gapOf(answer));
  }

  /**
   * The orders of one payer at one merchant, one page at a time. Unseals the customer of each order
   * @example {"merchant": "acme", "customer": "jane@example.com"}
   * @answer 200 A page may be empty although more follow
   */
  @Post('customers/orders')
  @OperatorRequest('find-customer')
  async customer(
    @Action(FindCustomerRequest) message: FindCustomerRequest,
    @CurrentOperator() operator: Operator,
    @CallerDeadline() deadline: Deadline,
  ): Promise<HttpReply<Omit<CustomerFound, 'reason'>>> {
    const { reason, ...found } = await this.erasures.findCustomer(message, actingFor(operator, message), deadline);
    return HttpReply.json(FOUND_STATUS[reason], reason === 'found' ? found : { error: reason });
  }

  private perform<Of extends 'erase-order' | 'erase-card' | 'release-hold'>(wish: Wish<Of>, message: ApprovableAction, operator: Operator) {
    const { reason, alone: isAlone = false } = message;
    return this.fourEyes.perform(wish, { reason, isAlone }, actingFor(operator, message));
  }
}
