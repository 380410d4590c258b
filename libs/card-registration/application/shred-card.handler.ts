import type { Decider, Instant, NonEmpty, CardRefId, MerchantLogin } from '@app/kernel';
import { runDecision, type Envelope, type EventStore } from '@app/event-store';
import { type CardRegistrationEvent, evolve, type CardRegistration } from '../domain/card-registration';
import { cardRegistrationCodec, cardReferenceStream } from './card-registration.codec';

export interface ShredCard {
  readonly type: 'ShredCard';
  readonly data: { readonly now: Instant };
}

interface ShredRejection {
  readonly reason: 'unknown-reference' | 'shredded-before';
}

const shredCard = ({ data: { now } }: ShredCard, state: CardRegistration): NonEmpty<CardRegistrationEvent> | ShredRejection => {
  if (state.status === 'none') return { reason: 'unknown-reference' };
  if (state.status === 'shredded') return { reason: 'shredded-before' };
  const [first, ...others]: readonly CardRegistrationEvent[] = state.wanted.map(({ gate }) => ({
    type: 'GateTokenRefused',
    data: { gate, cause: 'given-up', refusedAt: now },
  }));
  const shredded: CardRegistrationEvent = { type: 'CardShredded', data: { shreddedAt: now } };
  return first === undefined ? [shredded] : [first, ...others, shredded];
};

export const cardShredding: Decider<ShredCard, CardRegistrationEvent, CardRegistration, ShredRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: shredCard,
};

export class EndReference {
  constructor(private readonly store: EventStore) {}

  /** @throws StoreUnavailable, OutcomeUnknown, BrokenChain */
  async end(merchant: MerchantLogin, cardRefId: CardRefId, envelope: Envelope): Promise<'ended' | ShredRejection['reason']> {
    const result = await runDecision({
      store: this.store,
      codec: cardRegistrationCodec,
      decider: cardShredding,
      stream: cardReferenceStream(merchant, cardRefId),
      command: { type: 'ShredCard', data: { now: envelope.recordedAt } },
      envelope,
    });
    return result.kind === 'appended' ? 'ended' : result.rejection.reason;
  }
}
