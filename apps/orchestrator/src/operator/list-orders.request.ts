import { IsIn, IsInt, Length, Matches, Max, Min, registerDecorator } from 'class-validator';
import { OPERATOR_NAME, OPERATOR_NAME_FORM } from '@app/configuration';
import { AUDIT_FORMATS, type AuditFormat } from '@app/investigation';
import { CURRENCIES, ORDER_KINDS } from '@app/kernel';
import { OPERATIONS, type Operation } from '@app/orders/domain';
import { Reference } from './read-action';
import { IsCursor, IsLimit, IsLogin, optional, OperatorActionRequest } from './operator.requests';
import { AsInstant, AsMinorUnits, AsWholeNumber } from './transforms';

const LIMIT_MAX = 500;
const IDENTIFIER_LENGTH_MAX = 256;
const EMAIL_LENGTH_MAX = 254;
const DESCRIPTOR_LENGTH_MAX = 64;
export const A_DAY = 'on must be a day, such as 2026-11-27';
export const A_ZONE = 'zone must be a name of a time zone, such as Europe/Riga';
const STATUSES = ['approved', 'declined', 'error', 'filtered', 'processing', 'unknown', 'chain_declined'] as const;
const KINDS = Object.values(ORDER_KINDS);

/** The log has only keyed digests of identifiers, so one that resembles a card number is allowed. */
const Identifier =
  (name: string): PropertyDecorator =>
  (target, property) => {
    Length(1, IDENTIFIER_LENGTH_MAX, { message: `${name} must be a text of 1 to 256 characters` })(target, property);
    Reference()(target, String(property));
  };
const AN_AMOUNT = 'must be in major units, such as 10.00';
/** The largest amount in minor units. */
const MINOR_MAX = 999_999_999_999;
const CODE_MAX = 999_999;

const AnInstant = (name: string): PropertyDecorator => optional(AsInstant(name));
/** A misspelt currency would return an empty list. */
const ACurrency = (): PropertyDecorator => (target, property) =>
  registerDecorator({
    name: 'isCurrency',
    target: target.constructor,
    propertyName: String(property),
    options: {
      message: `${String(property)} must be a code of ISO 4217, such as USD`,
      context: { sent: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217.' } },
    },
    validator: { validate: (value: unknown) => typeof value === 'string' && CURRENCIES.has(value) },
  });
const AnAmount = (name: string): PropertyDecorator =>
  optional(
    AsMinorUnits(),
    IsInt({
      message: `${name} ${AN_AMOUNT}`,
      context: { sent: { type: 'string', description: 'Major units with a dot; needs a currency.' } },
    }),
    Min(0, { message: `${name} ${AN_AMOUNT}` }),
    Max(MINOR_MAX, { message: `${name} ${AN_AMOUNT}` }),
  );

/** A list of orders, the newest first. Each member narrows it; all that are given must apply. */
export class ListOrdersRequest extends OperatorActionRequest {
  /** The orderid. */
  @optional(Identifier('order'))
  readonly order?: string;

  @optional(Identifier('clientOrderId'))
  readonly clientOrderId?: string;

  @optional(Identifier('invoiceId'))
  readonly invoiceId?: string;

  /** The serial-number of the request that started it. */
  @optional(Identifier('correlation'))
  readonly correlation?: string;

  @optional(Identifier('cardReference'))
  readonly cardReference?: string;

  /** The card's own id (`unq-card-ref-id`). */
  @optional(Identifier('card'))
  readonly card?: string;

  @optional(Identifier('receipt'))
  readonly receipt?: string;

  @optional(Identifier('rrn'))
  readonly rrn?: string;

  /** The gate's reference of a transaction, order or case, or the key of the request to the gate. */
  @optional(Identifier('reference'))
  readonly reference?: string;

  @optional(Identifier('approvalCode'))
  readonly approvalCode?: string;

  /** The first six and the last four digits of a card of it. */
  @optional(Matches(/^\d{6}-\d{4}$/, { message: 'cardMask must be the first six and the last four digits, such as 444433-1111' }))
  readonly cardMask?: string;

  /** An operator whose action is in the order's stream. */
  @optional(Matches(OPERATOR_NAME, { message: `operator must be ${OPERATOR_NAME_FORM}` }))
  readonly operator?: string;

  @optional(IsLogin())
  readonly merchant?: string;

  @optional(Matches(/^\d{1,20}$/, { message: 'endpoint must be the id of an entry point' }))
  readonly endpoint?: string;

  /** The context. */
  @optional(IsIn(KINDS, { message: `kind must be one of ${KINDS.join(', ')}` }))
  readonly kind?: string;

  @optional(IsIn(OPERATIONS, { message: `operation must be one of ${OPERATIONS.join(', ')}` }))
  readonly operation?: Operation;

  @optional(IsIn(STATUSES, { message: `status must be one of ${STATUSES.join(', ')}` }))
  readonly status?: (typeof STATUSES)[number];

  /** As `order-stage` of a status answer. */
  @optional(Matches(/^[a-z0-9_]{1,64}$/, { message: 'stage must be as order-stage names it, such as sale_approved' }))
  readonly stage?: string;

  /** The last gate of the order. */
  @optional(Matches(/^[a-z0-9-]{1,64}$/, { message: 'gate must be an alias' }))
  readonly gate?: string;

  /** The code of a status that is not approved. */
  @optional(AsWholeNumber(), IsInt({ message: 'code must be a whole number' }), Min(0), Max(CODE_MAX))
  readonly code?: number;

  @optional(ACurrency())
  readonly currency?: string;

  /** Of a card of it. */
  @optional(Matches(/^\d{4}$/, { message: 'lastFour must be the last four digits of a card' }))
  readonly lastFour?: string;

  /** The descriptor on the payer's statement has this text. */
  @optional(Length(1, DESCRIPTOR_LENGTH_MAX, { message: `descriptor must be a text of 1 to ${DESCRIPTOR_LENGTH_MAX} characters` }))
  readonly descriptor?: string;

  /** Created or processed on this day, the day before or the day after. */
  @optional(Matches(/^\d{4}-\d\d-\d\d$/, { message: A_DAY }))
  readonly on?: string;

  /** Time zone of `on`. Default: UTC. */
  @optional(Matches(/^[A-Za-z0-9_+/-]{1,64}$/, { message: A_ZONE }))
  readonly zone?: string;

  @AnAmount('amountFrom')
  readonly amountFrom?: number;

  @AnAmount('amountTo')
  readonly amountTo?: number;

  @AnInstant('createdFrom')
  readonly createdFrom?: number;

  @AnInstant('createdTo')
  readonly createdTo?: number;

  @AnInstant('updatedFrom')
  readonly updatedFrom?: number;

  @AnInstant('updatedTo')
  readonly updatedTo?: number;

  @IsLimit(LIMIT_MAX)
  readonly limit?: number;

  /** The `next` of the previous page. */
  @IsCursor()
  readonly cursor?: string;

  @optional(IsIn(AUDIT_FORMATS, { message: `format must be one of ${AUDIT_FORMATS.join(', ')}` }))
  readonly format?: AuditFormat;
}

/** The same in a body, because logs of paths must not contain an address of a payer. */
export class SearchOrdersRequest extends ListOrdersRequest {
  @optional(Length(3, EMAIL_LENGTH_MAX, { message: 'email must be an e-mail address' }))
  readonly email?: string;
}
