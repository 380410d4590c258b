import { IsOptional } from 'class-validator';
import { Currency, Holds, member, OneOf, PathSegment, SumCentis, Text, WholeNumber, inStates } from '../members/member-decorators';
import { objects, textOf, webAddress } from '../members/member-rules';
import { ASSIGNED_ID_LENGTH_MAX, DEVICE_TEXT_LENGTH_MAX } from '../device-limits';
import { Invoiced } from './check';
import { TokenSession } from './session';
import { StatusTransaction } from './transaction';

/** Details of a verification and of a sale (interface, section 3.2). */
export const DEVICE_STATES = ['PROCESSING', 'REDIRECT_REQUEST', 'APPROVED', 'DECLINED'] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];
/** A transfer can also wait for the consumer to choose a fee. */
export const TRANSFER_STATES = [...DEVICE_STATES, 'TRANSFER_FEE_REQUEST'] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];

export const SECURE_3D_AUTH_STATUSES = ['AUTHENTICATED', 'NOT_AUTHENTICATED', 'UNSUPPORTED'] as const;
export type Secure3DAuthStatus = (typeof SECURE_3D_AUTH_STATUSES)[number];
export const RANDOM_SUM_AUTH_STATUSES = ['AUTHENTICATED', 'NOT_AUTHENTICATED'] as const;
export type RandomSumAuthStatus = (typeof RANDOM_SUM_AUTH_STATUSES)[number];

const BankOrderId = (): PropertyDecorator =>
  member({
    name: 'isLength',
    rule: textOf(1, DEVICE_TEXT_LENGTH_MAX),
    constraints: [1, DEVICE_TEXT_LENGTH_MAX],
    isRequired: inStates('APPROVED', 'DECLINED'),
  });
const RedirectUrl = (): PropertyDecorator =>
  member({
    name: 'isWebAddressOf',
    rule: webAddress(DEVICE_TEXT_LENGTH_MAX),
    constraints: [DEVICE_TEXT_LENGTH_MAX],
    isRequired: inStates('REDIRECT_REQUEST'),
  });

/** Members of the answers to all status requests; each operation has its own state (interface, sections 3.2 and 4.7). */
abstract class StatusResponse extends Invoiced {
  @Holds(TokenSession)
  readonly session!: TokenSession;

  /** Required in APPROVED and DECLINED. */
  @BankOrderId()
  readonly bankOrderId?: string;

  /** Required in REDIRECT_REQUEST. */
  @RedirectUrl()
  readonly redirectUrl?: string;

  /** Present for a decline. */
  @IsOptional()
  @WholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  readonly errorCode?: number;

  @IsOptional()
  @Text(0, DEVICE_TEXT_LENGTH_MAX)
  readonly errorMessage?: string;

  @IsOptional()
  @OneOf(SECURE_3D_AUTH_STATUSES)
  readonly secure3DAuthStatus?: Secure3DAuthStatus;

  @IsOptional()
  @OneOf(RANDOM_SUM_AUTH_STATUSES)
  readonly randomSumAuthStatus?: RandomSumAuthStatus;
}

export class VerificationStatusResponse extends StatusResponse {
  @OneOf(DEVICE_STATES)
  readonly state!: DeviceState;
}

/** From the first answer on with the order's id, amount and dates (protocol decisions, section 8). */
abstract class PaymentStatusResponse extends StatusResponse {
  /** In the processing system. */
  @Text(1, DEVICE_TEXT_LENGTH_MAX)
  readonly orderId!: string;

  @Holds(StatusTransaction)
  readonly transaction!: StatusTransaction;
}

export class SaleStatusResponse extends PaymentStatusResponse {
  @OneOf(DEVICE_STATES)
  readonly state!: DeviceState;
}

/** One of the fees among which the consumer chooses (interface, section 4.7). */
export class TransferFee {
  /** Alias of a payment gate; goes into the path of complete transfer. */
  @PathSegment(ASSIGNED_ID_LENGTH_MAX)
  readonly assignedId!: string;

  /** Minor units. */
  @SumCentis()
  readonly commissionCentis!: number;

  /** ISO 4217. */
  @Currency()
  readonly currency!: string;
}

const TransferFees = (): PropertyDecorator =>
  member({
    name: 'isMemberList',
    rule: objects(1),
    child: TransferFee,
    constraints: [TransferFee],
    isRequired: inStates('TRANSFER_FEE_REQUEST'),
  });

export class TransferStatusResponse extends PaymentStatusResponse {
  @OneOf(TRANSFER_STATES)
  readonly state!: TransferState;

  /** Required in TRANSFER_FEE_REQUEST. */
  @TransferFees()
  readonly transferFeeList?: readonly TransferFee[];
}
