import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsIn, IsInt, Length, Matches, Max, Min, ValidateIf } from 'class-validator';
import { OPERATOR_NAME, OPERATOR_NAME_FORM } from '@app/configuration';
import { AMOUNT_GRAMMAR, type MerchantLogin } from '@app/kernel';
import { CALLBACK_TARGETS, OPERATIONS, type Operation } from '@app/orders/domain';
import { DELIVERY_STATES } from '@app/read-models';
import { NAME_KINDS, type NameKind } from '@app/investigation';
import { AsInstant, AsWholeNumber } from './transforms';
import { NotRecorded, Reference } from './read-action';

const REASON_LENGTH_MAX = 1_000;
const A_REASON = 'reason must be a text of 1 to 1000 characters, with a word in it and no control characters';
/** Requires a letter or digit, and allows only tabs and line ends as control characters. */
const GROUNDS = /^(?=[\s\S]*[\p{L}\p{N}])[\P{Cc}\t\n\r]*$/u;
const FOLLOW_UP_MAX = 1_000_000;
const FOLLOW_UP_FORM = `followUp must be a whole number from 1 to ${FOLLOW_UP_MAX}`;

/** These checks, unless the member is absent. Unlike `IsOptional`, refuses null. */
export const optional =
  (...decorators: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, property) => {
    const ifPresent = ValidateIf((_request: object, value: unknown) => value !== undefined);
    for (const decorate of [ifPresent, ...decorators]) decorate(target, property);
  };

export const IsLimit = (max: number): PropertyDecorator => {
  const message = `limit must be a whole number from 1 to ${max}`;
  return optional(AsWholeNumber(), IsInt({ message }), Min(1, { message }), Max(max, { message }));
};

export const A_CURSOR = 'cursor must be the next of the previous page';
const CURSOR_LENGTH_MAX = 400;

export const IsCursor = (): PropertyDecorator => optional(NotRecorded(), Length(1, CURSOR_LENGTH_MAX, { message: A_CURSOR }));

const LIMIT_MAX = 500;
export const LIMIT_DEFAULT = 100;

export abstract class PageRequest {
  /** Entries of a page. */
  @IsLimit(LIMIT_MAX)
  readonly limit?: number;

  /** The `next` of the previous page. */
  @IsCursor()
  readonly cursor?: string;
}

export const IsNameKind = (): PropertyDecorator => IsIn(NAME_KINDS, { message: `by must be one of ${NAME_KINDS.join(', ')}` });

export const IsLogin = (): PropertyDecorator => Matches(/^[A-Za-z][A-Za-z0-9._@-]{0,19}$/, { message: 'merchant must be a login' });

/** Members of a filter of callbacks. */
export const IsDeliveryState = (): PropertyDecorator =>
  optional(IsIn(DELIVERY_STATES, { message: `state must be one of ${DELIVERY_STATES.join(', ')}` }));

export const IsDeliveryTarget = (): PropertyDecorator =>
  optional(IsIn(CALLBACK_TARGETS, { message: `target must be one of ${CALLBACK_TARGETS.join(', ')}` }));

/** The token alone identifies the operator. */
export abstract class OperatorActionRequest {
  /** The person that the caller claims to represent. Recorded with the operator, but not authenticated. */
  @optional(Matches(OPERATOR_NAME, { message: `actor must be ${OPERATOR_NAME_FORM}` }))
  readonly actor?: string;
}

export const IsReason = (): PropertyDecorator =>
  applyDecorators(Matches(GROUNDS, { message: A_REASON }), Length(1, REASON_LENGTH_MAX, { message: A_REASON }));

export abstract class ReasonedAction extends OperatorActionRequest {
  /** Free text, which is stored sealed. */
  @IsReason()
  readonly reason!: string;
}

/** An action on an order or a card reference. */
export abstract class OrderAction extends ReasonedAction {
  /** If given, the order or reference must belong to this merchant. */
  @optional(IsLogin())
  readonly merchant?: string;
}

export const merchantIn = ({ merchant }: OrderAction): MerchantLogin | undefined => merchant as MerchantLogin | undefined;

const ALONE_FORM = 'alone must be true or false';

/** For an action that the configuration may make subject to a second person. */
export const alone = (): PropertyDecorator => optional(IsBoolean({ message: ALONE_FORM }));

/** An action on an order, perhaps with the approval of a second person. */
export abstract class ApprovableAction extends OrderAction {
  /** An admin acts without the approval that the configuration requires. Raises an alarm. */
  @alone()
  readonly alone?: boolean;
}

/** A recorded query about an order that any of its names may identify. */
export abstract class NamedOrderAction extends OrderAction {
  /** The kind of identifier. Default: both kinds. */
  @optional(IsNameKind())
  readonly by?: NameKind;
}

/** Resolves an unknown outcome that the gate does not report, as a person knows it. */
export class ResolveRequest extends ApprovableAction {
  @IsIn(['approved', 'declined'], { message: 'as must be approved or declined' })
  readonly as!: 'approved' | 'declined';

  /** The number of the follow-up to resolve, from 1; absent for the order itself. */
  @optional(IsInt({ message: FOLLOW_UP_FORM }), Min(1, { message: FOLLOW_UP_FORM }), Max(FOLLOW_UP_MAX, { message: FOLLOW_UP_FORM }))
  readonly followUp?: number;
}

export class ResendRequest extends ReasonedAction {}

export class UnparkRequest extends ReasonedAction {}

const ADDRESS_LENGTH_MAX = 254;

/** An order whose route is to be explained. */
export class RouteQuestionRequest {
  @Matches(/^\d{1,20}$/, { message: 'endpoint must be the id of an entry point or of a group' })
  readonly endpoint!: string;

  @Reference()
  @Matches(AMOUNT_GRAMMAR, { message: 'amount must be in major units, such as "10.00"' })
  readonly amount!: string;

  @optional(IsIn(OPERATIONS, { message: `operation must be one of ${OPERATIONS.join(', ')}` }))
  readonly operation?: Operation;

  @optional(Matches(/^[A-Z]{3}$/, { message: 'currency must be three upper-case letters' }))
  readonly currency?: string;

  @optional(Matches(/^\d{6}$/, { message: 'bin must be the first six digits of a card number, and no more' }))
  readonly bin?: string;

  @optional(Matches(/^[A-Z]{3}$/, { message: 'country must be three upper-case letters' }))
  readonly country?: string;

  @optional(AsInstant('at'))
  readonly at?: number;

  /** Neither stored nor logged. */
  @optional(Length(1, ADDRESS_LENGTH_MAX, { message: 'customer must be an e-mail address' }))
  readonly customer?: string;
}
