import type { AnswerOf } from './answer';

/** Interface, section 2.5, and what protocol decisions, section 2, add: html, redirect-to, verified-rsc-status, end-point-id. */
export const ORDER_STATUS_FIELDS = [
  'type',
  'serial-number',
  'merchant-order-id',
  'paynet-order-id',
  'status',
  'amount',
  'currency',
  'initial-amount',
  'transaction-type',
  'order-stage',
  'phone',
  'email',
  'first-name',
  'last-name',
  'country',
  'state',
  'city',
  'zip_code',
  'address1',
  'last-four-digits',
  'bin',
  'card-type',
  'name',
  'cardholder-name',
  'card-exp-month',
  'card-exp-year',
  'card-hash-id',
  'card-country-alpha-three-code',
  'destination-card-country-alpha-three-code',
  'bank-name',
  'gate-partial-reversal',
  'gate-partial-capture',
  'processor-rrn',
  'processor-tx-id',
  'approval-code',
  'terminal-id',
  'receipt-id',
  'paynet-processing-date',
  'transaction-date',
  'loyalty-balance',
  'loyalty-message',
  'loyalty-bonus',
  'loyalty-program',
  'descriptor',
  'original-gate-descriptor',
  'error-message',
  'error-code',
  'motivational-message',
  'by-request-sn',
  'verified-3d-status',
  'verified-rsc-status',
  'eci',
  'ips-src-payment-product-code',
  'ips-src-payment-product-name',
  'ips-src-payment-type-code',
  'ips-src-payment-type-name',
  'merchantdata',
  'seller-commission',
  'acquirer-commission',
  'html',
  'redirect-to',
  'end-point-id',
] as const;

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
