import { type DeviceOperation, GATEWAY_ROUTES } from './paths';
import { PERFORM_CAUSES, STATUS_CAUSES, type PerformCause, type StatusCause } from './error-body';
import { DEVICE_BODY_BYTES_MAX, SHORT_DEVICE_BODY_BYTES_MAX } from './device-limits';
import { PerformSaleRequest, PerformTransferRequest, PerformVerificationRequest, SessionRequest } from './messages';

/** An operation that an app calls by POST (interface, section 4.2). */
export interface GroupBOperation {
  readonly name: string;
  readonly operation: DeviceOperation;
  readonly path: string;
  readonly message: new () => object;
  /** The proof of the sender: the merchant's signature, or the session that perform opened. */
  readonly proof: 'signature' | 'session';
  readonly causes: readonly (PerformCause | StatusCause)[];
  /** A larger body is refused before authentication. */
  readonly bodyBytesMax: number;
  readonly summary: string;
}

const PERFORM = { proof: 'signature', causes: PERFORM_CAUSES, bodyBytesMax: DEVICE_BODY_BYTES_MAX } as const;
const STATUS = { message: SessionRequest, proof: 'session', causes: STATUS_CAUSES, bodyBytesMax: SHORT_DEVICE_BODY_BYTES_MAX } as const;

/**
 * All operations of Group B in router order: status comes before complete transfer, whose path also matches it (no
 * gate's alias is `status`; protocol decisions, section 8).
 */
export const GROUP_B_OPERATIONS = {
  'perform-verification': {
    ...PERFORM,
    name: 'perform-verification',
    operation: 'verification',
    path: GATEWAY_ROUTES.perform('verification'),
    message: PerformVerificationRequest,
    summary: 'Verify a card without a charge',
  },
  'perform-sale': {
    ...PERFORM,
    name: 'perform-sale',
    operation: 'sale',
    path: GATEWAY_ROUTES.perform('sale'),
    message: PerformSaleRequest,
    summary: 'Charge a card',
  },
  'perform-transfer': {
    ...PERFORM,
    name: 'perform-transfer',
    operation: 'transfer',
    path: GATEWAY_ROUTES.perform('transfer'),
    message: PerformTransferRequest,
    summary: 'Move money from card to card',
  },
  'status-verification': {
    ...STATUS,
    name: 'status-verification',
    operation: 'verification',
    path: GATEWAY_ROUTES.status('verification'),
    summary: 'Status of a verification',
  },
  'status-sale': {
    ...STATUS,
    name: 'status-sale',
    operation: 'sale',
    path: GATEWAY_ROUTES.status('sale'),
    summary: 'Status of a sale',
  },
  'status-transfer': {
    ...STATUS,
    name: 'status-transfer',
    operation: 'transfer',
    path: GATEWAY_ROUTES.status('transfer'),
    summary: 'Status of a transfer',
  },
  'complete-transfer': {
    ...STATUS,
    name: 'complete-transfer',
    operation: 'transfer',
    path: GATEWAY_ROUTES.complete,
    causes: PERFORM_CAUSES,
    summary: 'Choose the fee of a transfer, which continues at that gate',
  },
} as const satisfies Readonly<Record<string, GroupBOperation>>;

export type GroupBOperationName = keyof typeof GROUP_B_OPERATIONS;
type Row<Name extends GroupBOperationName> = (typeof GROUP_B_OPERATIONS)[Name];

export type GroupBMessage<Name extends GroupBOperationName> = InstanceType<Row<Name>['message']>;
export type GroupBCause<Name extends GroupBOperationName> = Row<Name>['causes'][number];
