import type { Clock, Ids, Random } from '@app/kernel';
import type { ServiceDigests, TextSealer } from '@app/card-vault';
import type { EventStore } from '@app/event-store';

/** The ports of the merchant server's handlers. */
export interface MerchantServerPorts {
  readonly store: EventStore;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly sealer: TextSealer;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
}
