import type { PlacedOrder } from '../tour/tour-visit';
import { TWO_TIER_STEPS } from './two-tier-steps';
import type { TwoTierVisit } from './two-tier-visit';

/** The orders whose stories the tour shows. */
const SHOWN = ['sale', 'declined', 'secure', 'open', 'rebilled', 'captured'] as const;

export type TwoTierOrders = Readonly<Record<(typeof SHOWN)[number], PlacedOrder>>;

/** Plays every step, each of which must come out the same at both tiers. @throws TourFailed at the first claim that does not hold */
export const twoTierTour = async (tiers: TwoTierVisit): Promise<TwoTierOrders> => {
  const orders: Record<string, PlacedOrder> = {};
  for (const [name, step] of Object.entries(TWO_TIER_STEPS)) {
    const order = await step(tiers, orders);
    await tiers.claimSame(order);
    orders[name] = order;
  }
  const { report } = tiers.visit;
  report.step(
    'What both logs hold',
    'Each order as the service tells it, and below it the order of the upstream gateway that its attempt is.',
  );
  const shown = orders as TwoTierOrders;
  for (const name of SHOWN) {
    const { here, there } = await tiers.storiesOf(shown[name]);
    report.story(here, there);
  }
  return shown;
};
