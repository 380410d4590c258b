import type { AcceptedDeviceOrder, DeviceOrderAccepted, DeviceOrderEvent } from '@app/orders/domain';

/** A sale, or a transfer with its destination; where a card was given by reference, the merchant server names it in the check. */
export type AcceptedTransfer = AcceptedDeviceOrder;

/** An app's sale or transfer was accepted; from here on it always becomes final. */
export type TransferAccepted = DeviceOrderAccepted<AcceptedTransfer>;

export type TransferEvent = TransferAccepted | DeviceOrderEvent;
