import { eventCodec, f, type EventCodec } from '@app/event-store';
import { acceptedDeviceOrderFields, deviceOrderEventTypes, orderCard, receivingCard } from '@app/orders';
import type { AcceptedTransfer, TransferEvent } from '../domain/transfer.events';
import { TRANSFER_CATEGORY } from './transfer.stream';

export const transferCodec: EventCodec<TransferEvent> = eventCodec<TransferEvent>(TRANSFER_CATEGORY, {
  OrderAccepted: {
    version: 1,
    meaning: 'A device’s sale or transfer was accepted, with its plan; from here on it always becomes final.',
    schema: f.object<AcceptedTransfer>({
      ...acceptedDeviceOrderFields(),
      card: f.optional(orderCard()),
      destination: f.optional(receivingCard()),
    }),
  },
  ...deviceOrderEventTypes(),
});
