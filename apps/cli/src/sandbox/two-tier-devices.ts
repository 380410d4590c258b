import type { OrderStatusView } from '@app/read-models';
import { arrive, payWithCard, transferBetweenCards, verifyCard } from './tour/device-payments';
import { securityCode, sourceNameOf, type ApprovedRun, type DeviceVisit } from './tour/device-visit';
import type { NamedOrder, TwoTierVisit } from './two-tier-visit';

/** The order of a run is named by its invoice. */
const claimSame = async (tiers: TwoTierVisit, { invoiceId }: ApprovedRun): Promise<NamedOrder> => {
  const order = { clientOrderId: invoiceId };
  await tiers.claimSame(order);
  // Only orders of apps have their cards mapped.
  const mapped = await tiers.upstreamWhen(order, ({ view }) => view !== undefined && view.mapped !== null);
  tiers.visit.claim('there it is an order of an app too, which this service speaks for', mapped !== undefined);
  return order;
};

const commissionOf = (view: OrderStatusView | undefined): string | null => view?.commissionMinor ?? null;

/** What apps order, through both tiers. Resolves with the transfer. */
export const deviceOrders = async (tiers: TwoTierVisit, device: DeviceVisit): Promise<NamedOrder> => {
  const session = await arrive(device);
  const verified = await verifyCard(device, session);
  await claimSame(tiers, verified);
  const clientCardId = sourceNameOf(verified);
  await claimSame(tiers, await payWithCard(device, session, clientCardId));
  // The upstream gateway takes orders of apps with a CVV alone.
  const source = { reference: { clientCardId, securityCode: securityCode() } };
  const transfer = await claimSame(tiers, await transferBetweenCards(device, session, source));
  const { here } = await tiers.storiesOf(transfer);
  const held = commissionOf(here.view);
  const agreed = await tiers.upstreamWhen(transfer, ({ view }) => held !== null && commissionOf(view) === held);
  tiers.visit.claim('the fee was offered by the upstream gateway, which holds the same', agreed !== undefined);
  return transfer;
};
