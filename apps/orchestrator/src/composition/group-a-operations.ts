import type { OrderSealer } from '@app/card-vault';
import type { IssuedReferences, RegisterCardHandler } from '@app/card-registration';
import { OrderStatusRequest, OrderStatusV4Request } from '@app/gateway-protocol';
import { CREATE_CARD_REF_V2, CREATE_CARD_REF_V4, CreateCardRefOperation } from '../card-registration/create-card-ref.translation';
import { GetCardInfoOperation } from '../card-registration/get-card-info.translation';
import { CAPTURE, FollowUpOperation, RETURN, VOID, type TakesFollowUps } from '../follow-up/follow-up.translation';
import { OAUTH_PROOF } from '../merchant-api/answers/answer';
import type { OrderIntakePorts } from '../merchant-api/orders/order-intake';
import { ORDER_PROOF } from '../merchant-api/sender/control-verifier';
import type { StatusAnswer } from '../order-status/order-status.answer';
import { OrderStatusOperation } from '../order-status/order-status.translation';
import {
  ACCOUNT_VERIFICATION,
  InitialPaymentOperation,
  PREAUTH,
  SALE,
  type TakesPayments,
} from '../payment/initial-payment.translation';
import {
  MAKE_REBILL_PREAUTH,
  MAKE_REBILL_SALE,
  MakeRebillOperation,
  type ChargesRegisteredCards,
} from '../recurring/make-rebill.translation';
import type { GroupAOperations } from '../../../../libs/gateway-protocol/group-a/operations';
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
