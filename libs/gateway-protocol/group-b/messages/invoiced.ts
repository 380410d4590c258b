import { PathSegment } from '../members/member-decorators';
import { INVOICE_ID_LENGTH_MAX } from '../limits';

/** What every answer about a transaction begins with. */
export abstract class Invoiced {
  @PathSegment(INVOICE_ID_LENGTH_MAX)
  readonly invoiceId!: string;
}
