import type { Clock, MerchantLogin } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { OpenOrder } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import type { CardMapping, MerchantServer } from '../device-ports';
import type { RandomSums } from '../gates/random-sums';
import { nextStep } from '../../domain';
import { aboutOrder, OrderWorkFailed } from '../order-work-failed';

interface ConcludeOrderPorts {
  readonly mapping: CardMapping;
  readonly merchantServer: MerchantServer;
  readonly randomSums: RandomSums;
  readonly recorder: OrderRecorder;
  readonly clock: Clock;
}

/**
 * Maps the cards of an approved order and notifies the merchant server before the approval is visible (protocol decisions, section 8, order of
 * things). Each part is repeatable after a crash.
 */
export class ConcludeOrder {
  readonly #underWay = new Map<StreamName, Promise<OpenOrder>>();

  constructor(private readonly ports: ConcludeOrderPorts) {}

  conclude(open: OpenOrder): Promise<OpenOrder> {
    const { stream } = open;
    const before = this.#underWay.get(stream);
    if (before !== undefined) return before;
    const concluding = this.run(open).finally(() => this.#underWay.delete(stream));
    this.#underWay.set(stream, concluding);
    return concluding;
  }

  private async run(open: OpenOrder): Promise<OpenOrder> {
    const { attempts, end } = open.processing;
    if (end !== undefined || attempts.status !== 'approved') return open;
    const { mapping, merchantServer, recorder, clock } = this.ports;
    const cards = await mapping.map(open);
    await this.recordRandomSum(open);
    const notified = await merchantServer.notify(open, cards);
    const isAcknowledged = notified === 'acknowledged';
    const isNotificationOff = notified === 'off';
    const claim = await recorder.claimWithRetries(open, () => ({
      type: 'ConcludeOrder',
      receiptId: recorder.receiptId(),
      data: { key: attempts.key, ...cards, isAcknowledged, ...(isNotificationOff && { isNotificationOff }), now: clock.now() },
    }));
    return claim.kind === 'appended' ? claim.order : claim.seen;
  }

  private async recordRandomSum(open: OpenOrder): Promise<void> {
    const { orderId, merchant, card } = open.order;
    const { attempts } = open.processing;
    const receipt = attempts.status === 'approved' && attempts.by === 'gate' ? attempts.receipt : undefined;
    if (receipt?.randomSum === undefined || card === undefined) return;
    const { randomSums, recorder } = this.ports;
    const withdrawn = { orderId, sum: receipt.randomSum, withdrawnAt: receipt.processedAt };
    await randomSums.record({ merchant, uid: card.uid, data: withdrawn, envelope: recorder.envelope(open) });
  }
}

/** The worker takes the others from the open work items. */
const UNDER_WAY_MAX = 1_000;
/** Per merchant, so that a slow server fills only its share. */
export const UNDER_WAY_PER_MERCHANT_MAX = 100;

export class ConcludeInBackground {
  readonly #perMerchant = new Map<MerchantLogin, number>();
  readonly #onIdle: (() => void)[] = [];
  #underWay = 0;

  constructor(
    private readonly concluding: ConcludeOrder,
    private readonly clock: Clock,
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
