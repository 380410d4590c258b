import type { CardReferenceIssued, GateTokenKept } from '@app/card-registration/events';
import type { AttemptStarted } from '@app/orders/events';
import type { OrderStory } from '../order/order-story';
import { recurrentPayment, registration } from './tour/registered-card';
import type { PlacedOrder, TourVisit } from './tour/tour-visit';
import type { TwoTierVisit } from './two-tier-visit';

/** What the events tell that this part of the tour looks for. */
interface Facts {
  readonly AttemptStarted: AttemptStarted['data'];
  readonly CardReferenceIssued: CardReferenceIssued['data'];
  readonly GateTokenKept: GateTokenKept['data'];
}

/** What the first event of this type tells. */
const factIn = <Type extends keyof Facts>({ events }: OrderStory, type: Type): Facts[Type] | undefined => {
  const found = events.find((one) => one.isReadable && one.event.type === type);
  return found?.isReadable ? (found.event.data as Facts[Type]) : undefined;
};

/** The card of a sale is registered at both tiers, and charged through both by its references. Resolves with the recurrent payment. */
export const registeredCard = async (tiers: TwoTierVisit, sale: PlacedOrder): Promise<PlacedOrder> => {
  const visit: TourVisit = tiers.visit;
  const cardRefId = await registration(visit, sale);
  const token = await tiers.found(sale, ({ here }) => factIn(here, 'GateTokenKept')?.token);
  visit.claim('the upstream gateway was asked for a token of its own, which is kept', token !== undefined);
  const issued = await tiers.upstreamWhen(sale, (there) => factIn(there, 'CardReferenceIssued')?.cardRefId === token);
  visit.claim('it is the card reference that its log has of this order', issued !== undefined && token !== cardRefId);
  const { order } = await recurrentPayment(visit, cardRefId);
  visit.claim('approved', (await visit.final(order)).get('status') === 'approved');
  const { here } = await tiers.storiesOf(order);
  visit.claim('charged by the token, without the card’s number', factIn(here, 'AttemptStarted')?.chargedBy === 'token');
  const charged = await tiers.upstreamWhen(order, ({ view }) => view?.cardRefId === token);
  visit.claim('there it is a recurrent payment of that card reference', charged !== undefined);
  return order;
};
