import type { AnyEvent, StoredEvent } from '@app/event-store';
import type { CardRegistrationEvent } from '@app/card-registration/events';
import type { DeliveryEvent } from '@app/callbacks/events';
import type { DeviceVerificationEvent } from '@app/device-verification/events';
import type { ErasureEvent } from '@app/investigation/erasure/events';
import type { PaymentEvent } from '@app/payment/events';
import type { RecurringEvent } from '@app/recurring/events';
import type { TransferEvent } from '@app/transfer/events';

/** Every event of the streams of an order, its card references, its deliveries and its erasure. */
export type TimelineEvent =
  PaymentEvent | RecurringEvent | DeviceVerificationEvent | TransferEvent | CardRegistrationEvent | DeliveryEvent | ErasureEvent;

/** An event of an order's story; one that this release cannot read keeps its place. */
export type StoryEvent = { readonly stored: StoredEvent } & (
  { readonly isReadable: true; readonly event: AnyEvent } | { readonly isReadable: false; readonly problem: string }
);
