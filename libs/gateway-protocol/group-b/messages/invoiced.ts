import { PathSegment } from '../members/member-decorators';
import { INVOICE_ID_LENGTH_MAX } from '../device-limits';

/** First member of every answer about a transaction. */
export abstract class Invoiced {
  @PathSegment(INVOICE_ID_LENGTH_MAX)
  readonly invoiceId!: string;
}
