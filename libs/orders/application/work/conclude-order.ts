import type { Clock } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { OpenOrder } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import type { CardMapping, MerchantServer } from '../device-ports';
import type { RandomSums } from '../gates/random-sums';

export interface ConcludeOrderPorts {
  readonly mapping: CardMapping;
  readonly merchantServer: MerchantServer;
  readonly randomSums: RandomSums;
  readonly recorder: OrderRecorder;
  readonly clock: Clock;
}

/**
 * Takes an order from the gate's approval to its own: its cards get their references, and the merchant server is notified before the approval becomes
 * visible (protocol decisions, section 8, order of things). Each part is repeatable, so a crash between two of them does no harm.
 */
export class ConcludeOrder {
  readonly #underWay = new Map<StreamName, Promise<OpenOrder>>();

  constructor(private readonly ports: ConcludeOrderPorts) {}

  /**
   * Resolves to the order afterwards; a second caller for the same order waits for the first one's work.
   * @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable
   */
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
