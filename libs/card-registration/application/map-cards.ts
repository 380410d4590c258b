import type { CardRefId, Deadline, Instant, MerchantLogin, Clock, Ids, OrderKind } from '@app/kernel';
import type { ServiceDigests } from '@app/card-vault';
import type { Gates } from '@app/gateway-adapters/contract';
import { runOpeningDecision, storeWithin, type Envelope, type EventStore, categoryOf } from '@app/event-store';
import { type OrderFact, approvalOf, type MappedCard, type ReceivingCard } from '@app/orders/domain';
import type { CardMapping, MappedCards, OpenOrder } from '@app/orders';
import { cardRegistrationCodec, cardReferenceStream } from './card-registration.codec';
import { cardRegistration, type IssueRejection, type CardUse } from '../domain/card-registration';

export interface IssuePorts {
  readonly store: EventStore;
  readonly digests: Pick<ServiceDigests, 'cardRefId'>;
  readonly gates: Pick<Gates, 'find'>;
}

interface WantedReference {
  readonly merchant: MerchantLogin;
  readonly order: OrderFact;
  readonly use: CardUse;
  readonly envelope: Envelope;
  readonly now: Instant;
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

interface MapCardsPorts extends IssuePorts {
  readonly ids: Ids;
  readonly clock: Clock;
}

/**
 * Issues references before the order ends approved; create-card-ref finds the same ones later (interface, section 4.8; protocol decisions, section
 * 8).
 */
export class MapCards implements CardMapping {
  constructor(private readonly ports: MapCardsPorts) {}

  async map(open: OpenOrder): Promise<MappedCards> {
    const { card, cardRefId, destination, destinationCardRefId } = open.order;
    if (open.processing.attempts.status !== 'approved' || card === undefined) throw new Error(`${open.stream}: no card has proved itself`);
    const [source, receiving] = await Promise.all([
      this.referenceTo(open, card, 'source', cardRefId),
      destination && this.referenceTo(open, destination, 'destination', destinationCardRefId),
    ]);
    return { source, ...(receiving && { destination: receiving }) };
  }

  private async referenceTo(
    open: OpenOrder,
    card: ReceivingCard,
    use: CardUse,
    given: MappedCard['cardRefId'] | undefined,
  ): Promise<MappedCard> {
    const { uid } = card;
    if (given !== undefined) return { cardRefId: given, uid };
    const { ids, clock } = this.ports;
    const { merchant, orderId, clientOrderId, endpointId, customer } = open.order;
    const { correlation, callerTrace, causation } = open;
    const now = clock.now();
    const envelope = { correlation, callerTrace, causation, actor: 'orchestrator', merchant, commandId: ids.next(), recordedAt: now };
    const approval = approvalOf(open.processing.attempts);
    const known = { orderId, clientOrderId, endpointId, card, customer, ...(approval && { approval }) };
    const fact = { orderKind: categoryOf(open.stream) as OrderKind, ...known };
    const wanted = { merchant, order: { ...fact, end: { kind: 'approved' as const } }, use, envelope, now };
    const issued = await issueReference(this.ports, wanted);
    if ('reason' in issued) throw new Error(`${open.stream}: its card gets no reference: ${issued.reason}`);
    return { cardRefId: issued.cardRefId, uid };
  }
}
