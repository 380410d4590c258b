import type { EventId, StreamName } from '@app/event-store';
import type { CallbackFacts as CallbackMembers } from '@app/gateway-protocol';
import type { MerchantLogin } from '@app/kernel';
import type { CallbackTarget } from '@app/order-processing/events';
import type { CallbackAddress } from './callback-request';
import type { MappingNotification } from './merchant-server/notification-call';

interface Told {
  readonly merchant: MerchantLogin;
  /** The serial-number of the request that the order began with. */
  readonly correlation: string;
}

/** What one callback tells, and where it goes. */
export interface CallbackFact extends Told, CallbackAddress {
  readonly kind: 'callback';
  /** As the order stood at the fact, whatever happened since: each try must send the same bytes (safety, I5). */
  readonly members: CallbackMembers;
}

/** What the merchant server is told of an order's cards; its address is the merchant's own in the configuration. */
export interface NotificationFact extends Told {
  readonly kind: 'notification';
  readonly notification: MappingNotification;
}

export type DeliveryFact = CallbackFact | NotificationFact;

/** Reads a fact back from its order's stream, unsealed. */
export interface CallbackFacts {
  /**
   * `undefined` where the order names no address for this target, or none any more. An order whose personal data were erased still tells what is
   * left. @throws where store or vault are away: no try is counted.
   */
  factOf(orderStream: StreamName, factId: EventId, target: CallbackTarget): Promise<DeliveryFact | undefined>;
}
