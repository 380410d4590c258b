import type { MerchantLogin } from '@app/kernel';
import { findOrder } from '../order/find-order';
import type { OrderReaders } from '../order/order-readers';
import { orderStory, type OrderStory } from '../order/order-story';
import type { UpstreamOrder, UpstreamOrders } from '../order/upstream-orders';
import { poll } from './tour/poll';
import type { PlacedOrder, TourVisit } from './tour/tour-visit';

/** The log of a tier has what its answers tell; this is for a machine that does much else. */
const LOOK_TIMEOUT_MS = 20_000;

/** As the merchant calls it. */
export type NamedOrder = Pick<PlacedOrder, 'clientOrderId'>;

/** An order at both tiers. */
export interface BothStories {
  readonly here: OrderStory;
  readonly there: readonly UpstreamOrder[];
}

/** A merchant's visit of the first tier, beside the logs of both. */
export class TwoTierVisit {
  constructor(
    readonly visit: TourVisit,
    private readonly readers: OrderReaders,
    private readonly upstreamOrders: UpstreamOrders,
  ) {}

  async storiesOf({ clientOrderId }: NamedOrder): Promise<BothStories> {
    const merchant = this.visit.login as MerchantLogin;
    const [stream] = await findOrder(this.readers, clientOrderId, [merchant], 'client_orderid');
    if (stream === undefined) throw new Error(`the log has no order ${clientOrderId}`);
    const here = await orderStory(this.readers, stream);
    return { here, there: await this.upstreamOrders.of(here) };
  }

  /** Waits until the stories of the order have what is sought; undefined when the time is over. */
  async found<Found>(order: NamedOrder, find: (stories: BothStories) => Found | undefined): Promise<Found | undefined> {
    return poll(LOOK_TIMEOUT_MS, async () => find(await this.storiesOf(order)));
  }

  /** Waits until the one order of the upstream gateway that this order became is like this; undefined when the time is over. */
  async upstreamWhen(order: NamedOrder, isAwaited: (there: OrderStory) => boolean): Promise<OrderStory | undefined> {
    return this.found(order, ({ there }) => {
      const [one, ...more] = there;
      return one?.story !== undefined && more.length === 0 && isAwaited(one.story) ? one.story : undefined;
    });
  }

  /** Claims that the order is one order at the upstream gateway, and ended there as it did here. */
  async claimSame(order: NamedOrder): Promise<void> {
    const { here } = await this.storiesOf(order);
    const same = await this.upstreamWhen(order, ({ view }) => view?.status === here.view?.status && view?.stage === here.view?.stage);
    const orderId = same?.view?.orderId ?? '';
    this.visit.claim(
      `the upstream gateway has it as its order ${orderId}, ${here.view?.status} (${here.view?.stage}) as here`,
      same !== undefined,
    );
  }
}
