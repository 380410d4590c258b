export type { TransferAccepted, TransferEvent } from './domain/transfer.events';
