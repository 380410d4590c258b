import { writeJsonAnswer } from './forms/answer-codec';
import { callbackControl } from './control';
import { encodeForm } from './forms/form-codec';
import { answerFields, inWireOrder } from './messages/answer';
import { ORDER_STATUS_FIELDS } from './messages/order-status.response';
import type { ControlKey } from '../shared/control-key';

const { meanings: shown } = ORDER_STATUS_FIELDS;

/** In wire order (protocol decisions, sections 6 and 12). */
export const CALLBACK_MEMBERS = answerFields({
  status: shown.status,
  orderid: 'Gateway order id',
  merchant_order: 'Merchant order id',
  client_orderid: 'The same',
  type: 'Transaction type',
  amount: shown.amount,
  currency: shown.currency,
  descriptor: shown.descriptor,
  'original-gate-descriptor': shown['original-gate-descriptor'],
  error_code: 'Reason code',
  error_message: 'Reason text',
  'error-code': shown['error-code'],
  'error-message': shown['error-message'],
  name: shown.name,
  email: shown.email,
  phone: shown.phone,
  'approval-code': shown['approval-code'],
  'last-four-digits': shown['last-four-digits'],
  bin: shown.bin,
  'card-type': shown['card-type'],
  'card-exp-month': shown['card-exp-month'],
  'card-exp-year': shown['card-exp-year'],
  'card-holder-name': 'Holder of the card',
  'gate-partial-reversal': shown['gate-partial-reversal'],
  'gate-partial-capture': shown['gate-partial-capture'],
  'processor-tx-id': shown['processor-tx-id'],
  'processor-rrn': shown['processor-rrn'],
  merchantdata: shown.merchantdata,
  report: 'Only in a report of the gate: `reversal`, `chargeback`, `representment_won`, `representment_lost` or `fraud_warning`',
  'report-id': 'The gate’s id of the case, the same in all its reports',
  'report-stage': 'Stage of a chargeback: `first`, `second` or `arbitration`',
  'reason-code': 'The card scheme’s reason code, if the gate returns one',
  control: 'SHA-1 over status, orderid, client_orderid and the control key',
});

export type CallbackMember = (typeof CALLBACK_MEMBERS)[number];
type Derived = 'status' | 'orderid' | 'merchant_order' | 'client_orderid' | 'type' | 'error-code' | 'error-message' | 'control';

/** Without `control` and members that repeat others; they are added here. */
export type CallbackFacts = {
  readonly status: string;
  readonly orderid: string;
  readonly client_orderid: string;
  /** The transaction type: `sale`, `preauth`, ...; `fraud_warning` for a fraud warning. */
  readonly type: string;
} & { readonly [Member in Exclude<CallbackMember, Derived>]?: string | undefined };

/** The payer's return form in wire order, without customer data (protocol decisions, sections 6 and 12). */
const PAYER_RETURN_MEMBERS = [
  'status',
  'orderid',
  'merchant_order',
  'client_orderid',
  'descriptor',
  'error_code',
  'error_message',
  'error-code',
  'error-message',
  'card-type',
  'card-exp-month',
  'card-exp-year',
  'processor-tx-id',
  'control',
] as const satisfies readonly CallbackMember[];

export type PayerReturnFacts = Omit<CallbackFacts, 'type'>;

const valuesOf = (facts: PayerReturnFacts, key: ControlKey): { readonly [Member in CallbackMember]?: string | undefined } => {
  const { status, orderid: orderId, client_orderid: clientOrderId } = facts;
  return {
    ...facts,
    merchant_order: clientOrderId,
    'error-code': facts.error_code,
    'error-message': facts.error_message,
    control: callbackControl({ status, orderId, clientOrderId }, key),
  };
};

/** The same for JSON, form and query. */
export const callbackPairs = (facts: CallbackFacts, key: ControlKey): readonly (readonly [CallbackMember, string])[] =>
  inWireOrder(CALLBACK_MEMBERS, valuesOf(facts, key));

export const callbackBody = (facts: CallbackFacts, key: ControlKey): string => writeJsonAnswer(callbackPairs(facts, key));

/** For the query of a GET or the form body of a POST. */
export const callbackQuery = (facts: CallbackFacts, key: ControlKey): string => encodeForm(callbackPairs(facts, key));

export const payerReturnPairs = (facts: PayerReturnFacts, key: ControlKey): readonly (readonly [string, string])[] =>
  inWireOrder(PAYER_RETURN_MEMBERS, valuesOf(facts, key));
