import type { CardReferenceIssued, GateTokenKept } from '@app/card-registration/events';
import type { AttemptStarted } from '@app/orders/events';
import { approvedPayment, authenticatedPayment, declinedPayment, merchantCallback } from './tour/card-payments';
import { partialReturn, preauthAndCapture, voidedSale } from './tour/follow-ups';
import type { PlacedOrder, TourVisit } from './tour/tour-visit';
import type { TwoTierVisit } from './two-tier-visit';
import type { OrderStory } from '../order/order-story';
import { recurrentPayment, registration } from './tour/registered-card';

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
const registeredCard = async (tiers: TwoTierVisit, sale: PlacedOrder): Promise<PlacedOrder> => {
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

/** The orders of the steps before, by the names of the steps. */
type OrdersSoFar = Readonly<Partial<Record<string, PlacedOrder>>>;

/** A step of the tour: it resolves with the order that must be the same at both tiers after it. */
export type TwoTierStep = (tiers: TwoTierVisit, before: OrdersSoFar) => Promise<PlacedOrder>;

const verification = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('Account verification', 'A card is checked, and no money moves at either tier.');
  const { operation: _sale, fields, ...request } = visit.sale('verified', { endpoint: '1001', cvv2: '123' });
  const { amount: _amount, currency: _currency, ...unpriced } = fields;
  const order = await visit.place({ ...request, operation: 'account-verification', fields: unpriced });
  visit.claim('approved', (await visit.final(order)).get('status') === 'approved');
  return order;
};

const openOutcome: TwoTierStep = async (tiers) => {
  const visit: TourVisit = tiers.visit;
  visit.report.step(
    'An outcome that stays open',
    'With the CVV 217 the acquirer falls silent after it took the money. The upstream gateway does not know the outcome, and so nobody does.',
  );
  const order = await visit.place(visit.sale('open', { endpoint: '1001', cvv2: '217' }));
  const open = await tiers.upstreamWhen(order, ({ events }) => events.some(({ stored }) => stored.type === 'AttemptUnknown'));
  visit.claim('the upstream gateway recorded that it does not know', open !== undefined);
  const status = await visit.final(order);
  visit.claim('its inquiry found the money, and both tiers say approved', status.get('status') === 'approved');
  return order;
};

const saleOf = ({ sale }: OrdersSoFar): PlacedOrder => {
  if (sale === undefined) throw new Error('this step needs the sale of a step before');
  return sale;
};

/** In their order. */
export const TWO_TIER_STEPS: Readonly<Record<string, TwoTierStep>> = {
  sale: async ({ visit }) => {
    const sale = await approvedPayment(visit);
    await merchantCallback(visit, sale);
    return sale;
  },
  declined: ({ visit }) => declinedPayment(visit),
  secure: ({ visit }) => authenticatedPayment(visit),
  open: openOutcome,
  rebilled: (tiers, before) => registeredCard(tiers, saleOf(before)),
  captured: ({ visit }) => preauthAndCapture(visit),
  returned: ({ visit }, before) => partialReturn(visit, saleOf(before)),
  voided: ({ visit }) => voidedSale(visit),
  verified: ({ visit }) => verification(visit),
};
