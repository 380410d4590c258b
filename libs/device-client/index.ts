export type { Cadence, DeviceClientSettings } from './settings';
export { DeviceClient } from './device-client';
export type {
  CardDetails,
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
export type { DeviceStatus, FollowEnding, TransactionListener } from './follow';
export type { Failure, Outcome } from './outcome';
export { type Call, HttpTransport, type Received, type Transport } from './transport';
