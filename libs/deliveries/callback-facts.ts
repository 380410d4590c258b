import type { EventId, StreamName, Traced } from '@app/event-store';
import type { CallbackFacts as CallbackMembers } from '@app/gateway-protocol';
import type { MerchantLogin } from '@app/kernel';
import type { CallbackTarget } from '@app/order-processing/events';
import type { CallbackAddress } from './callback-request';
import type { MappingNotification } from '@app/merchant-server-client';

/** It goes back to the request that the order, or its follow-up, began with. */
interface Told extends Traced {
  readonly merchant: MerchantLogin;
  /** Of the order, for logs. */
  readonly orderId?: string;
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

/**
 * The order's stream, as it was read, does not hold the fact that is to be told: nobody knows what would have to be told, so that nothing is recorded
 * of it, and it is looked for again.
 */
export class FactMissing extends Error {
  override readonly name = 'FactMissing';

  constructor(orderStream: StreamName, factId: EventId) {
    super(`${orderStream} holds no fact ${factId} that could be told`);
  }
}

/** Reads a fact back from its order's stream, unsealed. */
export interface CallbackFacts {
  /**
   * `undefined` where the order names no address for this target, or none any more. An order whose personal data were erased still tells what is
   * left. @throws FactMissing, and where store or vault are away: no try is counted, and the work stays due.
   */
  factOf(orderStream: StreamName, factId: EventId, target: CallbackTarget): Promise<DeliveryFact | undefined>;
}
