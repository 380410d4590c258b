import { approvedPayment, authenticatedPayment, declinedPayment, merchantCallback } from './tour/card-payments';
import { partialReturn, preauthAndCapture, voidedSale } from './tour/follow-ups';
import type { PlacedOrder, TourVisit } from './tour/tour-visit';
import { registeredCard } from './registered-card-steps';
import type { TwoTierVisit } from './two-tier-visit';

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
