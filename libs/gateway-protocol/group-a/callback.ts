import { writeJsonAnswer } from './forms/answer-codec';
import { callbackControl } from './control';
import { encodeForm } from './forms/form-codec';
import type { ControlKey } from '../shared/control-key';

/** Members of the merchant callback in wire order (protocol decisions, section 6). */
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
  'name',
  'email',
  'phone',
  'approval-code',
  'last-four-digits',
  'bin',
  'card-type',
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
type Derived = 'status' | 'orderid' | 'merchant_order' | 'client_orderid' | 'type' | 'control';

/** The members of a callback: those that always apply, and any of the others. `merchant_order` and `control` are added here. */
export type CallbackFacts = {
  readonly status: string;
  readonly orderid: string;
  readonly client_orderid: string;
  /** The transaction type: `sale`, `preauth`, ...; of a fraud warning, which is no transaction, `fraud_warning`. */
  readonly type: string;
} & { readonly [Member in Exclude<CallbackMember, Derived>]?: string | undefined };

/** The members that apply, in order; the same for the JSON body and for the query of the GET form. */
export const callbackPairs = (facts: CallbackFacts, key: ControlKey): readonly (readonly [CallbackMember, string])[] => {
  const { status, orderid: orderId, client_orderid: clientOrderId } = facts;
  const values: { readonly [Member in CallbackMember]?: string | undefined } = {
    ...facts,
    merchant_order: clientOrderId,
    control: callbackControl({ status, orderId, clientOrderId }, key),
  };
  return CALLBACK_MEMBERS.flatMap((member) => {
    const value = values[member];
    return value === undefined ? [] : [[member, value] as const];
  });
};

/** The body of the POST form: one flat JSON object of strings. */
export const callbackBody = (facts: CallbackFacts, key: ControlKey): string => writeJsonAnswer(callbackPairs(facts, key));

/** The query of the GET form, to be added to what the address has of its own. */
export const callbackQuery = (facts: CallbackFacts, key: ControlKey): string => encodeForm(callbackPairs(facts, key));
