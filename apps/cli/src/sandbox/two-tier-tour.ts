import type { PlacedOrder } from './tour/tour-visit';
import { TWO_TIER_STEPS } from './two-tier-steps';
import type { DeviceVisit } from './tour/device-visit';
import { deviceOrders } from './two-tier-devices';
import type { NamedOrder, TwoTierVisit } from './two-tier-visit';

/** The orders whose stories the tour shows. */
const SHOWN = ['sale', 'declined', 'secure', 'open', 'rebilled', 'captured'] as const;

export type TwoTierOrders = Readonly<Record<(typeof SHOWN)[number], PlacedOrder> & { readonly transfer: NamedOrder }>;

/** Plays every step, each of which must come out the same at both tiers. @throws TourFailed at the first claim that does not hold */
export const twoTierTour = async (tiers: TwoTierVisit, device: DeviceVisit): Promise<TwoTierOrders> => {
  const orders: Record<string, PlacedOrder> = {};
  for (const [name, step] of Object.entries(TWO_TIER_STEPS)) {
    const order = await step(tiers, orders);
    await tiers.claimSame(order);
    orders[name] = order;
  }
  const transfer = await deviceOrders(tiers, device);
  const { report } = tiers.visit;
  report.step(
    'What both logs hold',
    'Each order as the service tells it, and below it the order of the upstream gateway that its attempt is.',
  );
  const shown = { ...orders, transfer } as TwoTierOrders;
  for (const name of [...SHOWN, 'transfer'] as const) {
    const { here, there } = await tiers.storiesOf(shown[name]);
    report.story(here, there);
  }
  return shown;
};
