import type { CardRefId, Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { Gates } from '@app/gateway-adapters/contract';
import { runOpeningDecision, storeWithin, type Envelope, type EventStore } from '@app/event-store';
import type { OrderFact } from '@app/orders/domain';
import { cardRegistrationCodec, cardReferenceStream } from './card-registration.codec';
import { cardRegistration, type IssueRejection, type CardUse } from '../domain/card-registration';

export interface IssuePorts {
  readonly store: EventStore;
  readonly digests: Pick<ServiceDigests, 'cardRefId'>;
  /** Which gates give tokens of cards when they are asked. */
  readonly gates: Pick<Gates, 'find'>;
}

export interface WantedReference {
  readonly merchant: MerchantLogin;
  readonly order: OrderFact;
  readonly use: CardUse;
  readonly envelope: Envelope;
  readonly now: Instant;
  /** When the caller of the request must be answered; absent where nobody waits. */
  readonly deadline?: Deadline | undefined;
}

/**
 * Derived from merchant and order, so that a repeat finds the same one.
 * @throws StoreUnavailable, OutcomeUnknown
 */
export const issueReference = async (
  { store, digests, gates }: IssuePorts,
  { merchant, order, use, envelope, now, deadline }: WantedReference,
): Promise<{ readonly cardRefId: CardRefId } | Exclude<IssueRejection, { readonly reason: 'accepted-before' }>> => {
  const cardRefId = digests.cardRefId(merchant, order.orderId, use);
  const stream = cardReferenceStream(merchant, cardRefId);
  const canRegister = order.approval !== undefined && gates.find(order.approval.gate)?.registering !== undefined;
  const command = { type: 'IssueCardReference' as const, data: { merchant, cardRefId, use, order, canRegister, now } };
  const result = await runOpeningDecision({
    store: storeWithin(store, deadline),
    codec: cardRegistrationCodec,
    decider: cardRegistration,
    stream,
    command,
    envelope,
  });
  return result.kind === 'appended' || result.rejection.reason === 'accepted-before' ? { cardRefId } : result.rejection;
};
