import { metadataOf, type EventStore } from '@app/event-store';
import { MemoryOpenWork } from '@app/event-store/testing';
import { deliveryCodec, DELIVERY_CATEGORY } from '../deliveries/delivery.codec';
import { deliveryWork } from '../deliveries/delivery-work';

export class DeliveriesInMemory extends MemoryOpenWork {
  /** Projects the deliveries' streams from the start of the log; the returned function stops it. */
  follow(store: EventStore, onChange: () => void): () => Promise<void> {
    const subscription = store.subscribe([DELIVERY_CATEGORY], 'start');
    const ended = (async () => {
      for await (const item of subscription) {
        if (item.kind !== 'event') continue;
        const { stream, id } = item.event;
        this.apply(deliveryWork({ stream, id, event: deliveryCodec.decode(item.event), metadata: metadataOf(item.event) }));
        onChange();
      }
    })();
    return async () => {
      await subscription.cancel();
      await ended;
    };
  }
}
