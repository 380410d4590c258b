import { IsBoolean, Length, Matches } from 'class-validator';
import { NotOnRecord } from './card-numbers-in-texts';
import { LOGIN, MayBeAbsent, OperatorActionRequest, ReasonedAction } from './operator.requests';

const CUSTOMER_LENGTH_MIN = 5;
const CUSTOMER_LENGTH_MAX = 254;

abstract class OfMerchant extends ReasonedAction {
  /** Where it is given, the order or reference must be of this merchant. */
  @MayBeAbsent()
  @Matches(LOGIN, { message: 'merchant must be a login' })
  readonly merchant?: string;
}

/** The personal data, texts and cards of an order are to be erased. */
export class EraseOrderRequest extends OfMerchant {
  /** Whether card references may end with it; an order with one that lives is refused otherwise. */
  @MayBeAbsent()
  @IsBoolean({ message: 'endsReferences must be true or false' })
  readonly endsReferences?: boolean;
}

export class EraseCardRequest extends OfMerchant {}

/** Nothing of the order is to be erased from here on, or it may be again. */
export class HoldRequest extends OfMerchant {}

/** The orders of a payer are looked for. */
export class FindCustomerRequest extends OperatorActionRequest {
  @Matches(LOGIN, { message: 'merchant must be a login' })
  readonly merchant!: string;

  /** An e-mail address or a telephone number; neither stored nor logged. */
  @Length(CUSTOMER_LENGTH_MIN, CUSTOMER_LENGTH_MAX, { message: 'customer must be an e-mail address or a telephone number' })
  readonly customer!: string;

  /** What the page before told as `next`. */
  @MayBeAbsent()
  @NotOnRecord()
  @Matches(/^\d{1,19}(\/\d{1,19})?$/, { message: 'after must be what the page before told' })
  readonly after?: string;
}
