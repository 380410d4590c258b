import type { OrderSealer } from '@app/card-vault';
import type { IssuedReferences, RegisterCardHandler } from '@app/card-registration';
import { OrderStatusRequest, OrderStatusV4Request } from '@app/gateway-protocol';
import { CREATE_CARD_REF_V2, CREATE_CARD_REF_V4, CreateCardRefOperation } from '../group-a/card-registration/create-card-ref.operation';
import { GetCardInfoOperation } from '../group-a/card-registration/get-card-info.operation';
import { CAPTURE, FollowUpOperation, RETURN, VOID, type TakesFollowUps } from '../group-a/follow-up/follow-up.operation';
import { OAUTH_PROOF } from '../group-a/operation';
import type { OrderIntakePorts } from '../group-a/order-intake';
import { ORDER_PROOF } from '../group-a/order-proof';
import type { StatusAnswer } from '../group-a/order-status/order-status.answer';
import { OrderStatusOperation } from '../group-a/order-status/order-status.operation';
import {
  ACCOUNT_VERIFICATION,
  InitialPaymentOperation,
  PREAUTH,
  SALE,
  type TakesPayments,
} from '../group-a/payment/initial-payment.operation';
import {
  MAKE_REBILL_PREAUTH,
  MAKE_REBILL_SALE,
  MakeRebillOperation,
  type ChargesRegisteredCards,
} from '../group-a/recurring/make-rebill.operation';
import type { GroupAOperations } from '../group-a/routes';
import type { CurrentOrderReader } from '@app/order-queries';

export interface GroupAParts {
  readonly intake: OrderIntakePorts;
  readonly payment: TakesPayments;
  readonly recurring: ChargesRegisteredCards;
  readonly followUps: TakesFollowUps;
  readonly registration: RegisterCardHandler;
  readonly references: IssuedReferences;
  readonly sealer: OrderSealer;
  readonly orders: CurrentOrderReader;
  readonly statusAnswer: StatusAnswer;
}

/** Every operation of Group A over the contexts that it translates for. */
export const groupAOperations = (parts: GroupAParts): GroupAOperations => {
  const { intake, orders, registration, statusAnswer } = parts;
  const payment = { ...intake, orders, handler: parts.payment };
  const recurring = { ...intake, orders, handler: parts.recurring };
  const followUp = { orders, handler: parts.followUps };
  return {
    sale: new InitialPaymentOperation(SALE, payment),
    preauth: new InitialPaymentOperation(PREAUTH, payment),
    accountVerification: new InitialPaymentOperation(ACCOUNT_VERIFICATION, payment),
    capture: new FollowUpOperation(CAPTURE, followUp),
    return: new FollowUpOperation(RETURN, followUp),
    void: new FollowUpOperation(VOID, followUp),
    makeRebillSale: new MakeRebillOperation(MAKE_REBILL_SALE, recurring),
    makeRebillPreauth: new MakeRebillOperation(MAKE_REBILL_PREAUTH, recurring),
    createCardRef: new CreateCardRefOperation(CREATE_CARD_REF_V2, registration),
    createCardRefV4: new CreateCardRefOperation(CREATE_CARD_REF_V4, registration),
    getCardInfo: new GetCardInfoOperation(parts.references, parts.sealer),
    status: new OrderStatusOperation(OrderStatusRequest, ORDER_PROOF, orders, statusAnswer),
    statusV4: new OrderStatusOperation(OrderStatusV4Request, OAUTH_PROOF, orders, statusAnswer),
  };
};
