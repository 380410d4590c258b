import { answerFields, ENTRY_POINT, HEAD, ORDER_NAMES, REASON, type AnswerOf } from './answer';

/** Interface, section 2.5, and what protocol decisions, section 2, add: html, redirect-to, verified-rsc-status, end-point-id. */
export const ORDER_STATUS_FIELDS = answerFields({
  ...HEAD,
  ...ORDER_NAMES,
  status: 'Status of the order',
  amount: 'Amount of the initial transaction; with `enumerate_amounts` the approved or current one',
  currency: 'Currency of the initial transaction',
  'initial-amount': 'Amount requested; never changes',
  'transaction-type': 'Type of the latest approved operation, or of the requested serial number',
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
  'last-four-digits': 'Last four digits of the card number',
  bin: 'First six digits of the card number',
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
  'processor-rrn': 'The acquirer’s retrieval reference number',
  'processor-tx-id': 'Transaction id of the acquirer',
  'approval-code': 'Issuer’s approval code',
  'terminal-id': 'Terminal of the acquirer',
  'receipt-id': 'Id of the receipt page',
  'paynet-processing-date': 'Time of the first gate call',
  'transaction-date': 'Time of the final status',
  'loyalty-balance': 'Loyalty programme, if the gate reports one',
  'loyalty-message': 'The same',
  'loyalty-bonus': 'The same',
  'loyalty-program': 'The same',
  descriptor: 'Text on the payer’s statement',
  'original-gate-descriptor': 'The gate’s configured descriptor',
  ...REASON,
  'motivational-message': 'Issuer’s advice to the payer',
  'by-request-sn': 'The requested serial number',
  'verified-3d-status': '3-D Secure: `AUTHENTICATED`, `NOT_AUTHENTICATED`, `UNSUPPORTED` or `UNKNOWN`',
  'verified-rsc-status': 'Random sum, with the same values',
  eci: 'Electronic Commerce Indicator of VISA',
  'ips-src-payment-product-code': 'Product of the card, by the BIN',
  'ips-src-payment-product-name': 'The same in words',
  'ips-src-payment-type-code': 'Type of the card, by the BIN',
  'ips-src-payment-type-name': 'The same in words',
  merchantdata: '`merchant_data` of the request',
  'seller-commission': 'Commission of the merchant, if `showCommissions` is set',
  'acquirer-commission': 'The same for the acquirer; the merchant’s commission if the gate has no acquirer commission',
  html: 'Page that sends the payer’s browser to the authentication',
  'redirect-to': 'Address with the same effect',
  ...ENTRY_POINT,
});

export type OrderStatusField = (typeof ORDER_STATUS_FIELDS)[number];

/** The present state of an order; what is always there, and of the rest what applies (protocol decisions, section 2). */
export type OrderStatusResponse = AnswerOf<
  OrderStatusField,
  {
    readonly type: 'status-response';
    readonly 'serial-number': string;
    readonly 'merchant-order-id': string;
    readonly 'paynet-order-id': string;
    readonly status: string;
    readonly 'transaction-type': string;
    readonly 'order-stage': string;
    readonly 'end-point-id': string;
  }
>;
