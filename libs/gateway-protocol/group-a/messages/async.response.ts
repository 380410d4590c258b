import type { AnswerOf } from './answer';

/** Interface, section 2.4; initial payments and follow-ups say `end-point-id` too (protocol decisions, section 10). */
export const ASYNC_FIELDS = [
  'type',
  'serial-number',
  'merchant-order-id',
  'paynet-order-id',
  'error-message',
  'error-code',
  'end-point-id',
] as const;

/** An order was accepted; its outcome comes by status or callback. */
export type AsyncResponse = AnswerOf<
  (typeof ASYNC_FIELDS)[number],
  {
    readonly type: 'async-response';
    readonly 'serial-number': string;
    readonly 'merchant-order-id': string;
    readonly 'paynet-order-id': string;
  }
>;
