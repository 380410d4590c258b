import type { TransferFee } from '@app/gateway-protocol';
import type { Invoice, Transaction } from './device-order';
import type { DeviceStatus } from './device-status';

/** What the app does while a transaction runs; what it throws ends the run and comes out of it. */
export interface Watcher {
  onInvoice?(invoice: Invoice): void;
  onAccepted?(transaction: Transaction): void;
  /** Each answer to a status request. */
  onStatus?(status: DeviceStatus): void;
  /** The payer is to open this page, told once; status is asked for again when it returns, which may be at once. */
  onRedirect?(url: string): void | Promise<void>;
  /** The consumer chooses one of the fees offered, or none: then the gateway ends the transfer in time, with nothing charged. */
  chooseFee?(fees: readonly TransferFee[]): TransferFee | undefined | Promise<TransferFee | undefined>;
}
