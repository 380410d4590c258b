import { IsIn, Matches } from 'class-validator';
import { AUDIT_FORMATS, type AuditFormat, type NameKind } from '@app/investigation';
import { IsNameKind } from './unnamed-order';
import { LOGIN, MayBeAbsent, OperatorActionRequest, ReasonedAction } from './operator.requests';

const A_FORMAT = { message: `format must be one of ${AUDIT_FORMATS.join(', ')}` };
const A_LOGIN = { message: 'merchant must be a login' };

/** The trail of an order. */
export class TrailRequest extends OperatorActionRequest {
  /** Where it is given, the order must be of this merchant. */
  @MayBeAbsent()
  @Matches(LOGIN, A_LOGIN)
  readonly merchant?: string;

  /** The kind of name by which the order is named: either where it is absent. */
  @MayBeAbsent()
  @IsNameKind()
  readonly by?: NameKind;

  @MayBeAbsent()
  @IsIn(AUDIT_FORMATS, A_FORMAT)
  readonly format?: AuditFormat;
}

/** The trail with what is sealed in it, for grounds that are put on record. */
export class RevealRequest extends ReasonedAction {
  @MayBeAbsent()
  @Matches(LOGIN, A_LOGIN)
  readonly merchant?: string;

  /** The kind of name by which the order is named: either where it is absent. */
  @MayBeAbsent()
  @IsNameKind()
  readonly by?: NameKind;

  @MayBeAbsent()
  @IsIn(AUDIT_FORMATS, A_FORMAT)
  readonly format?: AuditFormat;
}
