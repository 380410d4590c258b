import { token } from '@app/injection';

/** Hears what goes wrong with a question and is answered otherwise. */
export interface OrderQueriesWatch {
  /** The read model's row could not be read: the whole stream was folded. */
  rowUnread(error: unknown): void;
}

export const ORDER_QUERIES_WATCH = token<OrderQueriesWatch>('ORDER_QUERIES_WATCH');
