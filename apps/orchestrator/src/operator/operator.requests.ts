import { OPERATOR_NAME, OPERATOR_NAME_FORM } from '@app/configuration';
import { IsIn, IsInt, Length, Matches, Max, Min, ValidateIf } from 'class-validator';

const LOGIN = /^[A-Za-z][A-Za-z0-9._@-]{0,19}$/;
const REASON_LENGTH_MAX = 1_000;
const FOLLOW_UP_MAX = 1_000_000;
const FOLLOW_UP_FORM = `followUp must be a whole number from 1 to ${FOLLOW_UP_MAX}`;

/** Unlike `IsOptional`, refuses a null: whoever wrote one meant to say something. */
const MayBeAbsent = (): PropertyDecorator => ValidateIf((_request: object, value: unknown) => value !== undefined);

/** The token alone identifies the operator. */
abstract class OperatorActionRequest {
  /** The person for whom the caller claims to act: recorded beside the operator, and never trusted. */
  @MayBeAbsent()
  @Matches(OPERATOR_NAME, { message: `actor must be ${OPERATOR_NAME_FORM}` })
  readonly actor?: string;
}

abstract class ReasonedAction extends OperatorActionRequest {
  /** Free text, which is stored sealed. */
  @Length(1, REASON_LENGTH_MAX, { message: 'reason must be a text of 1 to 1000 characters' })
  readonly reason!: string;
}

/** Resolves an outcome that no gate reported, as a person knows it. */
export class ResolveRequest extends ReasonedAction {
  @IsIn(['approved', 'declined'], { message: 'as must be approved or declined' })
  readonly as!: 'approved' | 'declined';

  /** Where it is given, the order must be of this merchant. */
  @MayBeAbsent()
  @Matches(LOGIN, { message: 'merchant must be a login' })
  readonly merchant?: string;

  /** The number of the follow-up to resolve, from 1; absent for the order itself. */
  @MayBeAbsent()
  @IsInt({ message: FOLLOW_UP_FORM })
  @Min(1, { message: FOLLOW_UP_FORM })
  @Max(FOLLOW_UP_MAX, { message: FOLLOW_UP_FORM })
  readonly followUp?: number;
}

export class ResendRequest extends ReasonedAction {}

export class UnparkRequest extends OperatorActionRequest {}
