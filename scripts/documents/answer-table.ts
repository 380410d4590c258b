import * as protocol from '@app/gateway-protocol';
import type {
  ASYNC_FIELDS,
  CallbackMember,
  CREATE_CARD_REF_FIELDS,
  CREATE_CARD_REF_V4_FIELDS,
  GET_CARD_INFO_FIELDS,
  ORDER_STATUS_FIELDS,
} from '@app/gateway-protocol';
import { tableRow } from './markdown-table';

type AnswerField =
  | (typeof ASYNC_FIELDS)[number]
  | (typeof CREATE_CARD_REF_FIELDS)[number]
  | (typeof CREATE_CARD_REF_V4_FIELDS)[number]
  | (typeof GET_CARD_INFO_FIELDS)[number]
  | (typeof ORDER_STATUS_FIELDS)[number]
  | CallbackMember;

/** The meaning of each field of an answer or callback (interface, sections 2.2 to 2.5; protocol decisions, sections 2 and 6). A missing field does not compile. */
const MEANINGS: Readonly<Record<AnswerField, string>> = {
  type: 'Kind of the answer; in a callback the transaction type',
  'serial-number': 'Unique name of this request',
  'merchant-order-id': 'Merchant order id (`client_orderid`)',
  'paynet-order-id': 'Gateway order id (`orderid` in later requests)',
  'end-point-id': 'Entry point that served the order',
  'error-code': 'Code of the reason',
  'error-message': 'Text of the reason',
  status: 'Status of the order',
  'card-ref-id': 'Card reference, `cardrefid` in later requests',
  'unq-card-ref-id': 'Unique for each card number of the merchant',
  card_recurring_payment_id: 'The same value as `card-ref-id`',
  'recurring-payment-id': 'The same',
  destination_card_recurring_payment_id: 'Reference that can only receive a transfer',
  'dst-card-ref-id': 'The same',
  'card-printed-name': 'Holder, as printed on the card',
  'expire-year': 'Expiry, four digits',
  'expire-month': 'Expiry, two digits',
  bin: 'First six digits of the card number',
  'last-four-digits': 'Last four digits of the card number',
  amount: 'Amount of the initial transaction; with `enumerate_amounts` the approved or current one',
  currency: 'Currency of the initial transaction',
  'initial-amount': 'Amount requested; never changes',
  'transaction-type': 'Of the latest approved operation, or of the requested serial',
  'order-stage': 'Operation and its progress',
  phone: 'Customer’s phone',
  email: 'Customer’s e-mail address',
  'first-name': 'Customer’s first name',
  'last-name': 'Customer’s last name',
  country: 'Customer’s country, two letters',
  state: 'Customer’s state',
  city: 'Customer’s city',
  zip_code: 'Customer’s postcode',
  address1: 'Customer’s street',
  'card-type': 'Scheme, such as VISA',
  name: 'Holder of the card',
  'cardholder-name': 'The same',
  'card-exp-month': 'Expiry, two digits',
  'card-exp-year': 'Expiry, four digits',
  'card-hash-id': 'The same value as `unq-card-ref-id`',
  'card-country-alpha-three-code': 'Country of the issuer, three letters',
  'destination-card-country-alpha-three-code': 'The same for the destination of a transfer',
  'bank-name': 'Issuer, by the BIN',
  'gate-partial-reversal': '`enabled` if the gate supports it',
  'gate-partial-capture': '`enabled` if the gate supports it',
  'processor-rrn': 'Retrieval reference number of the acquirer',
  'processor-tx-id': 'Transaction id of the acquirer',
  'approval-code': 'Issuer’s approval code',
  'terminal-id': 'Terminal of the acquirer',
  'receipt-id': 'Names the receipt page',
  'paynet-processing-date': 'Time of the first gate call',
  'transaction-date': 'Time of the final status',
  'loyalty-balance': 'Loyalty programme, if the gate reports one',
  'loyalty-message': 'The same',
  'loyalty-bonus': 'The same',
  'loyalty-program': 'The same',
  descriptor: 'Text on the payer’s statement',
  'original-gate-descriptor': 'The same by the gate’s setting',
  'motivational-message': 'Issuer’s advice to the payer',
  'by-request-sn': 'The serial asked for',
  'verified-3d-status': '3-D Secure: `AUTHENTICATED`, `NOT_AUTHENTICATED`, `UNSUPPORTED` or `UNKNOWN`',
  'verified-rsc-status': 'Random sum: the same words',
  eci: 'Electronic Commerce Indicator of VISA',
  'ips-src-payment-product-code': 'Product of the card, by the BIN',
  'ips-src-payment-product-name': 'The same in words',
  'ips-src-payment-type-code': 'Type of the card, by the BIN',
  'ips-src-payment-type-name': 'The same in words',
  merchantdata: '`merchant_data` of the request',
  'seller-commission': 'Commission of the merchant, if `showCommissions` is set',
  'acquirer-commission': 'The same for the acquirer; without a table of its gate the merchant’s',
  html: 'Page that sends the payer’s browser to the authentication',
  'redirect-to': 'Address with the same effect',
  orderid: 'Gateway order id',
  merchant_order: 'Merchant order id',
  client_orderid: 'The same',
  error_code: 'Code of the reason',
  error_message: 'Text of the reason',
  'card-holder-name': 'Holder of the card',
  report: 'Only in a report of the gate: `reversal`, `chargeback`, `representment_won`, `representment_lost` or `fraud_warning`',
  'report-id': 'The gate’s id of the case, the same in all its reports',
  'report-stage': 'Of a chargeback: `first`, `second` or `arbitration`',
  'reason-code': 'The card scheme’s code of the reason, if the gate returns one',
  control: 'SHA-1 over status, orderid, client_orderid and the control key',
};

const exported: Readonly<Record<string, unknown>> = protocol;
const meaning = (field: string): string => {
  const words = (MEANINGS as Readonly<Record<string, string>>)[field];
  if (words === undefined) throw new Error(`no meaning for the field ${field}`);
  return words;
};

export const answerTable = (list: string): readonly string[] => {
  const fields = exported[list];
  if (!Array.isArray(fields)) throw new Error(`${list} is no list of @app/gateway-protocol`);
  return [
    tableRow('Field', 'Meaning'),
    tableRow('---', '---'),
    ...fields.map((field) => tableRow(`\`${String(field)}\``, meaning(String(field)))),
  ];
};
