import { eventCodec, f, streamName, type EventCodec, type StreamName } from '@app/event-store';
import type { MerchantLogin } from '@app/kernel';
import { HELD_KINDS, type HoldEvent, type NewOrdersHeld, type NewOrdersReleased } from '../domain';

const CATEGORY = 'switch';

export const orderHoldsStream = (): StreamName => streamName(CATEGORY, 'orchestrator');

const target = () => ({ kind: f.oneOf(...HELD_KINDS), id: f.id(), merchant: f.optional(f.id<MerchantLogin>()), reason: f.sealed() });

export const orderHoldsCodec: EventCodec<HoldEvent> = eventCodec<HoldEvent>(CATEGORY, {
  NewOrdersHeld: {
    version: 1,
    meaning:
      'Until the release, new orders do not use the gate, or the entry point accepts none. Accepted orders continue. The operator is the actor.',
    schema: f.object<NewOrdersHeld['data']>({ ...target(), heldAt: f.instant() }),
  },
  NewOrdersReleased: {
    version: 1,
    meaning: 'New orders may use the gate or entry point again.',
    schema: f.object<NewOrdersReleased['data']>({ ...target(), releasedAt: f.instant() }),
  },
});
