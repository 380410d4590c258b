import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { streamName, type StreamName, eventCodec, f, type EventCodec } from '@app/event-store';
import { acceptedDeviceOrderFields, deviceOrderEventTypes, orderCard, receivingCard, deviceOrderContext } from '@app/orders';
import type { AcceptedTransfer, TransferEvent } from '../domain/transfer.events';

export const TRANSFER_CATEGORY = 'transfer';

/** The stream's name is the idempotency key (architecture, rule 1). */
export const transferStream = (merchant: MerchantLogin, invoiceId: ClientOrderId): StreamName =>
  streamName(TRANSFER_CATEGORY, merchant, invoiceId);

export const transferCodec: EventCodec<TransferEvent> = eventCodec<TransferEvent>(TRANSFER_CATEGORY, {
  OrderAccepted: {
    version: 1,
    meaning: 'A device’s sale or transfer was accepted, with its routing plan. It always becomes final.',
    schema: f.object<AcceptedTransfer>({
      ...acceptedDeviceOrderFields(),
      card: f.optional(orderCard()),
      destination: f.optional(receivingCard()),
    }),
  },
  ...deviceOrderEventTypes(),
});

export const transferContext = deviceOrderContext<AcceptedTransfer>(transferCodec, transferStream);
