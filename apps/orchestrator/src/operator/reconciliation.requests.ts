import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsObject, Length, Matches, Max, Min, ValidateNested } from 'class-validator';
import { CASE_SOURCES, COMPARED_FIELDS, FINDING_KINDS, type CaseSource, type ComparedField, type FindingKind } from '@app/reconciliation';
import { SETTLED_OPERATIONS, type SettledOperation } from '@app/gateway-adapters/contract';
import { NotRecorded, Reference } from './read-action';
import { alone, IsCursor, IsLimit, LIMIT_DEFAULT, optional, OperatorActionRequest, ReasonedAction } from './operator.requests';
import { AsInstant } from './transforms';

const LISTED_MAX = 1_000;
/** As many cases as fit in one body. */
const CASES_AT_ONCE = 20;

const VISIBLE = /^[\x20-\x7e]{1,128}$/;
/** Another merchant may have chosen it, if the order is not ours. */
const CLIENT_ORDERID = /^\P{Cc}{1,128}$/u;
const ALIAS = /^[a-z0-9-]{1,64}$/;
const MINOR = /^\d{1,18}$/;
const INSTANT_MAX = 8_640_000_000_000_000;
const COUNT_MAX = 1_000_000_000;

const visible = (name: string): PropertyDecorator => Matches(VISIBLE, { message: `${name} must have 1 to 128 visible characters` });
const instant =
  (name: string): PropertyDecorator =>
  (target, property) => {
    for (const check of [IsInt, (options: object) => Min(0, options), (options: object) => Max(INSTANT_MAX, options)])
      check({ message: `${name} must be a time in milliseconds` })(target, property);
  };
const count =
  (name: string): PropertyDecorator =>
  (target, property) => {
    for (const check of [IsInt, (options: object) => Min(1, options), (options: object) => Max(COUNT_MAX, options)])
      check({ message: `${name} must be a whole number from 1` })(target, property);
  };

class DifferenceRequest {
  @IsIn(COMPARED_FIELDS, { message: `field must be one of ${COMPARED_FIELDS.join(', ')}` })
  readonly field!: ComparedField;

  @optional(Reference(), visible('ours'))
  readonly ours?: string;

  @optional(Reference(), visible('theirs'))
  readonly theirs?: string;
}

class ReportedRequest {
  @IsIn(['approved', 'declined', 'open'], { message: 'status must be approved, declined or open' })
  readonly status!: 'approved' | 'declined' | 'open';

  /** Minor units. */
  @optional(Reference(), Matches(MINOR, { message: 'amountMinor must be digits' }))
  readonly amountMinor?: string;

  @optional(Matches(/^[A-Z]{3}$/, { message: 'currency must be three upper-case letters' }))
  readonly currency?: string;

  /** Minor units. */
  @optional(Reference(), Matches(MINOR, { message: 'commissionMinor must be digits' }))
  readonly commissionMinor?: string;

  @optional(instant('processedAt'))
  readonly processedAt?: number;

  @optional(Reference(), visible('reference'))
  readonly reference?: string;

  @optional(count('line'))
  readonly line?: number;
}

class CaseOrderRequest {
  @Reference()
  @visible('orderId')
  readonly orderId!: string;

  @visible('merchant')
  readonly merchant!: string;

  @optional(count('followUp'))
  readonly followUp?: number;
}

export class CaseRequest {
  @IsIn(FINDING_KINDS, { message: `kind must be one of ${FINDING_KINDS.join(', ')}` })
  readonly kind!: FindingKind;

  /** The key of the attempt that the gate was sent. */
  @Reference()
  @Matches(CLIENT_ORDERID, { message: 'original must have 1 to 128 characters, none of control' })
  readonly original!: string;

  /** The key of the request itself. */
  @optional(Reference(), visible('key'))
  readonly key?: string;

  @IsIn(SETTLED_OPERATIONS, { message: `operation must be one of ${SETTLED_OPERATIONS.join(', ')}` })
  readonly operation!: SettledOperation;

  // Otherwise a list would be accepted in place of an object.
  @optional(IsObject({ message: 'order must be an object' }), ValidateNested(), Type(() => CaseOrderRequest))
  readonly order?: CaseOrderRequest;

  @IsArray({ message: 'differences must be a list' })
  @IsObject({ each: true, message: 'differences must be a list of objects' })
  @ArrayMaxSize(COMPARED_FIELDS.length, { message: 'differences has more fields than there are' })
  @ValidateNested({ each: true })
  @Type(() => DifferenceRequest)
  readonly differences!: readonly DifferenceRequest[];

  @optional(IsObject({ message: 'told must be an object' }), ValidateNested(), Type(() => ReportedRequest))
  readonly told?: ReportedRequest;
}

/** Differences that a comparison found. */
export class OpenCasesRequest extends OperatorActionRequest {
  @Matches(ALIAS, { message: 'gate must be an alias' })
  readonly gate!: string;

  @IsIn(CASE_SOURCES, { message: `source must be one of ${CASE_SOURCES.join(', ')}` })
  readonly source!: CaseSource;

  /** SHA-256 of the file, hex. */
  @optional(Reference(), Matches(/^[0-9a-f]{64}$/, { message: 'fileDigest must be a SHA-256 in hex' }))
  readonly fileDigest?: string;

  @IsArray({ message: 'cases must be a list' })
  @IsObject({ each: true, message: 'cases must be a list of objects' })
  @ArrayMinSize(1, { message: 'cases must have one at least' })
  @ArrayMaxSize(CASES_AT_ONCE, { message: `cases must be ${CASES_AT_ONCE} at most` })
  @ValidateNested({ each: true })
  @Type(() => CaseRequest)
  readonly cases!: readonly CaseRequest[];
}

/** Cases of reconciliation, the oldest first. */
export class ListCasesRequest {
  @optional(Matches(ALIAS, { message: 'gate must be an alias' }))
  readonly gate?: string;

  @optional(IsIn(FINDING_KINDS, { message: `kind must be one of ${FINDING_KINDS.join(', ')}` }))
  readonly kind?: FindingKind;

  /** Cases about the order with this orderid. */
  @optional(Reference(), visible('order'))
  readonly order?: string;

  /** Opened at this time or later. */
  @optional(AsInstant('since'))
  readonly since?: number;

  /** Opened before this time. */
  @optional(AsInstant('until'))
  readonly until?: number;

  /** `true`: includes closed cases. */
  @optional(IsIn(['true', 'false'], { message: 'all must be true or false' }))
  readonly all?: 'true' | 'false';

  @IsLimit(LISTED_MAX)
  readonly limit: number = LIMIT_DEFAULT;

  /** The `next` of the previous page. */
  @IsCursor()
  readonly cursor?: string;
}

export class CloseCaseRequest extends ReasonedAction {}

export class ApplyCaseRequest extends ReasonedAction {
  /** An admin acts without the approval that the configuration requires. Raises an alarm. */
  @alone()
  readonly alone?: boolean;
}

/** Asks a gate for the outcomes of the requests of a period. */
export class InquireRequest extends OperatorActionRequest {
  @Matches(ALIAS, { message: 'gate must be an alias' })
  readonly gate!: string;

  /** Milliseconds since 1970-01-01T00:00:00Z. */
  @instant('from')
  readonly from!: number;

  /** Milliseconds since 1970-01-01T00:00:00Z. */
  @instant('before')
  readonly before!: number;

  /** The `next` of the previous answer. */
  @optional(NotRecorded(), Length(1, 128, { message: 'after must be the next of the previous answer' }))
  readonly after?: string;
}
