export type { Cadence } from './settings';
export { DeviceClient } from './device-client';
export type {
  CardInHand,
  Destination,
  DeviceOrder,
  Invoice,
  SaleOrder,
  Source,
  Transaction,
  TransferOrder,
  VerificationOrder,
} from './device-order';
export type { DeviceRun, DeviceSession } from './device-session';
export type { DeviceStatus } from './device-status';
export type { FollowEnding } from './follow';
export type { Failure, Outcome } from './outcome';
export type { DeviceClientSettings } from './settings';
export { type Call, HttpTransport, type Received, type Transport } from './transport';
export type { Watcher } from './watcher';
