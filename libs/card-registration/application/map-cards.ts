import type { Clock, Ids, OrderKind } from '@app/kernel';
import { categoryOf } from '@app/event-store';
import type { CardMapping, MappedCards, OpenOrder } from '@app/orders';
import { approvalOf, type MappedCard, type ReceivingCard } from '@app/orders/domain';
import type { CardUse } from '../domain/card-registration';
import { issueReference, type IssuePorts } from './issue-reference';

export interface MapCardsPorts extends IssuePorts {
  readonly ids: Ids;
  readonly clock: Clock;
}

/**
 * Issues the references of the cards of an order whose attempt was approved, before the order ends approved; create-card-ref finds the same ones
 * later. A card that was given by a reference keeps it (interface, section 4.8; protocol decisions, section 8).
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
    // The kind of an order decides the category of its stream.
    const approval = approvalOf(open.processing.attempts);
    const known = { orderId, clientOrderId, endpointId, card, customer, ...(approval && { approval }) };
    const fact = { orderKind: categoryOf(open.stream) as OrderKind, ...known };
    const wanted = { merchant, order: { ...fact, end: { kind: 'approved' as const } }, use, envelope, now };
    const issued = await issueReference(this.ports, wanted);
    if ('reason' in issued) throw new Error(`${open.stream}: its card gets no reference: ${issued.reason}`);
    return { cardRefId: issued.cardRefId, uid };
  }
}
