import { OPERATOR_NAME, OPERATOR_NAME_FORM } from '@app/configuration';
import { IsIn, IsInt, IsOptional, Length, Matches, Max, Min } from 'class-validator';

const LOGIN = /^[A-Za-z][A-Za-z0-9._@-]{0,19}$/;
const REASON_LENGTH_MAX = 1_000;
const FOLLOW_UP_MAX = 1_000_000;

/** What every action of an operator may say beside the token, which alone tells who acts. */
abstract class OperatorActionRequest {
  /** For whom the caller acts, or at whose terminal: kept beside the operator, and believed by nobody. */
  @IsOptional()
  @Matches(OPERATOR_NAME, { message: `actor must be ${OPERATOR_NAME_FORM}` })
  readonly actor?: string;
}

abstract class ReasonedAction extends OperatorActionRequest {
  /** Free text; sealed where it is kept. */
  @Length(1, REASON_LENGTH_MAX, { message: 'reason must be a text of 1 to 1000 characters' })
  readonly reason!: string;
}

/** How an outcome ended that no gate has told, as a person knows it. */
export class ResolveRequest extends ReasonedAction {
  @IsIn(['approved', 'declined'], { message: 'as must be approved or declined' })
  readonly as!: 'approved' | 'declined';

  /** Whose order it is, where that is to be made sure. */
  @IsOptional()
  @Matches(LOGIN, { message: 'merchant must be a login' })
  readonly merchant?: string;

  /** The number of its follow-up that is resolved, from 1; absent: the order itself. */
  @IsOptional()
  @IsInt({ message: 'followUp must be a whole number' })
  @Min(1, { message: 'followUp must be at least 1' })
  @Max(FOLLOW_UP_MAX, { message: `followUp must be at most ${FOLLOW_UP_MAX}` })
  readonly followUp?: number;
}

export class ResendRequest extends ReasonedAction {}

export class UnparkRequest extends OperatorActionRequest {}
