import { writeJsonAnswer } from './forms/answer-codec';
import { callbackControl } from './control';
import { encodeForm } from './forms/form-codec';
import { inWireOrder } from './messages/answer';
import type { ControlKey } from '../shared/control-key';

/** In wire order (protocol decisions, sections 6 and 12). */
export const CALLBACK_MEMBERS = [
  'status',
  'orderid',
  'merchant_order',
  'client_orderid',
  'type',
  'amount',
  'currency',
  'descriptor',
  'original-gate-descriptor',
  'error_code',
  'error_message',
  'error-code',
  'error-message',
  'name',
  'email',
  'phone',
  'approval-code',
  'last-four-digits',
  'bin',
  'card-type',
  'card-exp-month',
  'card-exp-year',
  'card-holder-name',
  'gate-partial-reversal',
  'gate-partial-capture',
  'processor-tx-id',
  'processor-rrn',
  'merchantdata',
  'report',
  'report-id',
  'report-stage',
  'reason-code',
  'control',
] as const;

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
