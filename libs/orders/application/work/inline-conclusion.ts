import type { Clock, MerchantLogin } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { nextStep } from '../../domain';
import type { OpenOrder } from '../order-context';
import { aboutOrder, OrderWorkFailed } from '../order-work-failed';
import type { ConcludeOrder } from './conclude-order';

/** Conclusions that run at one moment; others wait for the worker, which finds them by the order's open work. */
const UNDER_WAY_MAX = 1_000;
/** Per merchant, so that a server that is slow to acknowledge fills its own share and no more. */
export const UNDER_WAY_PER_MERCHANT_MAX = 100;

/** Concludes an order at once, in the process that learned of its gate's approval. */
export class InlineConclusion {
  readonly #perMerchant = new Map<MerchantLogin, number>();
  readonly #onIdle: (() => void)[] = [];
  #underWay = 0;

  constructor(
    private readonly concluding: ConcludeOrder,
    private readonly clock: Clock,
    /** Receives each failure, which is left to the worker to repair. */
    private readonly onError: (stream: StreamName, error: unknown) => void,
  ) {}

  orderMoved(moved: OpenOrder): void {
    const { merchant } = moved.order;
    if (nextStep(moved.processing, this.clock.now()).task !== 'conclude') return;
    const ofMerchant = this.#perMerchant.get(merchant) ?? 0;
    if (this.#underWay >= UNDER_WAY_MAX || ofMerchant >= UNDER_WAY_PER_MERCHANT_MAX) return;
    this.#underWay++;
    this.#perMerchant.set(merchant, ofMerchant + 1);
    void this.concluding
      .conclude(moved)
      .catch((error: unknown) => this.onError(moved.stream, new OrderWorkFailed(aboutOrder(moved), error)))
      .then(() => this.#done(merchant));
  }

  /** Resolves when no conclusion runs any more. */
  drained(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #done(merchant: MerchantLogin): void {
    this.#underWay--;
    const left = (this.#perMerchant.get(merchant) ?? 1) - 1;
    if (left === 0) this.#perMerchant.delete(merchant);
    else this.#perMerchant.set(merchant, left);
    if (this.#underWay === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
