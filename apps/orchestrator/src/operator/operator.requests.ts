import { IsIn, IsInt, IsOptional, Length, Matches, Max, Min } from 'class-validator';

/** Fewer digits than a card number has: the name stands readable in every event that its owner causes. */
const ACTOR = /^(?!(?:\D*\d){12})[A-Za-z][A-Za-z0-9._@-]{0,63}$/;
const LOGIN = /^[A-Za-z][A-Za-z0-9._@-]{0,19}$/;
const REASON_LENGTH_MAX = 1_000;
const FOLLOW_UP_MAX = 1_000_000;

/** What every action of an operator says: who, and why. */
abstract class OperatorAction {
  /** Free text; sealed where it is kept. */
  @Length(1, REASON_LENGTH_MAX, { message: 'reason must be a text of 1 to 1000 characters' })
  readonly reason!: string;

  @Matches(ACTOR, { message: 'actor must be 1 to 64 of A-Z, a-z, 0-9, ., _, @ and -, a letter first, with fewer than 12 digits' })
  readonly actor!: string;
}

/** How an outcome that no gate has told is settled by a person. */
export class SettlementRequest extends OperatorAction {
  @IsIn(['approved', 'declined'], { message: 'as must be approved or declined' })
  readonly as!: 'approved' | 'declined';

  /** Whose order it is, where that is to be made sure. */
  @IsOptional()
  @Matches(LOGIN, { message: 'merchant must be a login' })
  readonly merchant?: string;

  /** The number of its follow-up that is settled, from 1; absent: the order itself. */
  @IsOptional()
  @IsInt({ message: 'followUp must be a whole number' })
  @Min(1, { message: 'followUp must be at least 1' })
  @Max(FOLLOW_UP_MAX, { message: `followUp must be at most ${FOLLOW_UP_MAX}` })
  readonly followUp?: number;
}

export class ResendRequest extends OperatorAction {}
