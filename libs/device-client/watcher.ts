import type { TransferFee } from '@app/gateway-protocol';
import type { Invoice, Transaction } from './device-order';
import type { DeviceStatus } from './device-status';

/** The app's callbacks while a transaction runs; an error that one throws ends the run and is thrown by it. */
export interface Watcher {
  onInvoice?(invoice: Invoice): void;
  onAccepted?(transaction: Transaction): void;
  /** Called with each answer to a status request. */
  onStatus?(status: DeviceStatus): void;
  /** Called once for each page that the payer must open; the next status request waits until it returns, which may be at once. */
  onRedirect?(url: string): void | Promise<void>;
  /** Chooses one of the offered fees for the consumer, or none: then the gateway ends the transfer in time, with nothing charged. */
  chooseFee?(fees: readonly TransferFee[]): TransferFee | undefined | Promise<TransferFee | undefined>;
}
