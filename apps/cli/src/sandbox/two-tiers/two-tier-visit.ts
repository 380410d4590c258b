import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { paymentStream } from '@app/payment';
import type { OrderReaders } from '../../order/order-readers';
import { orderStory, type OrderStory } from '../../order/order-story';
import type { UpstreamOrder, UpstreamOrders } from '../../order/upstream-orders';
import { poll } from '../tour/poll';
import type { PlacedOrder, TourVisit } from '../tour/tour-visit';

/** The log of a tier has what its answers tell; this is for a machine that does much else. */
const LOOK_TIMEOUT_MS = 20_000;

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

  async storiesOf({ clientOrderId }: PlacedOrder): Promise<BothStories> {
    const here = await orderStory(this.readers, paymentStream(this.visit.login as MerchantLogin, clientOrderId as ClientOrderId));
    return { here, there: await this.upstreamOrders.of(here) };
  }

  /** Waits until the one order of the upstream gateway that this order became is like this; undefined when the time is over. */
  async upstreamWhen(order: PlacedOrder, isAwaited: (there: OrderStory) => boolean): Promise<OrderStory | undefined> {
    return poll(LOOK_TIMEOUT_MS, async () => {
      const { there } = await this.storiesOf(order);
      const [one, ...more] = there;
      return one?.story !== undefined && more.length === 0 && isAwaited(one.story) ? one.story : undefined;
    });
  }

  /** Claims that the order is one order at the upstream gateway, and ended there as it did here. */
  async claimSame(order: PlacedOrder): Promise<void> {
    const { here } = await this.storiesOf(order);
    const same = await this.upstreamWhen(order, ({ view }) => view?.status === here.view?.status && view?.stage === here.view?.stage);
    const orderId = same?.view?.orderId ?? '';
    this.visit.claim(
      `the upstream gateway has it as its order ${orderId}, ${here.view?.status} (${here.view?.stage}) as here`,
      same !== undefined,
    );
  }
}
