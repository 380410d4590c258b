import type { CardRefId, MerchantLogin } from '@app/kernel';
import { runDecision, type Envelope, type EventStore } from '@app/event-store';
import { cardRegistrationCodec } from './card-registration.codec';
import { cardReferenceStream } from './card-registration.stream';
import { cardShredding, type ShredRejection } from '../domain/shred-card';

/** Ends card references, before their card is shredded in the vault. */
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
