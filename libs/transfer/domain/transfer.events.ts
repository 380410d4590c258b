import type { AcceptedDeviceOrder, DeviceOrderAccepted, DeviceOrderEvent } from '@app/orders/domain';

/** A sale, or a transfer with its destination; a card given by reference is named by the merchant server. */
export type AcceptedTransfer = AcceptedDeviceOrder;

/** An app's sale or transfer was accepted; from here on it always becomes final. */
export type TransferAccepted = DeviceOrderAccepted<AcceptedTransfer>;

export type TransferEvent = TransferAccepted | DeviceOrderEvent;
