import { sleep, type Clock, type GateAlias, type Scheduler } from '@app/kernel';
import { backOffMs } from '@app/event-store';
import type { CheckResult, FeeOffer, OrderCard, ReceivingCard } from '../../domain';
import type { OpenOrder } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import type { CheckOutcome, MerchantServer } from '../device-ports';
import type { QuoteFees } from './quote-fees';
import type { RandomSums } from './random-sums';

/** Lets an order with an unreachable merchant server end within 30 s (architecture, "Configuration"). */
const CHECK_MS = 25_000;
const GAP_MIN_MS = 1_000;
const GAP_MAX_MS = 5_000;
/** More attempts than fit into `CHECK_MS`; ends them if the clock does not advance. */
const TRIES_MAX = 30;

const MALFORMED: CheckResult = { kind: 'failed', cause: 'malformed-answer' };

export interface CheckOrderPorts {
  readonly merchantServer: MerchantServer;
  readonly recorder: OrderRecorder;
  readonly fees: QuoteFees;
  readonly randomSums: RandomSums;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

/**
 * Asks the merchant server before any gate (interface, section 4.6). The check changes nothing there, so it is repeated after a crash. Anything but a
 * confirmation ends the order.
 */
export class CheckOrder {
  constructor(private readonly ports: CheckOrderPorts) {}

  /**
   * Unchanged if the order was checked before or needs no check.
   * @throws StoreUnavailable, VaultUnavailable
   */
  async check(open: OpenOrder): Promise<OpenOrder> {
    const { device, end } = open.processing;
    if (device?.status !== 'unchecked' || end !== undefined) return open;
    const { recorder, clock } = this.ports;
    const result = await this.resultOf(open, await this.ask(open));
    const claim = await recorder.claimWithRetries(open, () => ({ type: 'RecordCheck', data: { result, now: clock.now() } }));
    return claim.kind === 'appended' ? claim.order : claim.seen;
  }

  private ask(open: OpenOrder): Promise<CheckOutcome> {
    const { scheduler } = this.ports;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const deadline = scheduler.after(CHECK_MS, () => {
        isOver = true;
        resolve({ kind: 'unreachable' });
      });
      this.tries(open, () => isOver)
        .then(resolve, reject)
        .finally(() => deadline.cancel());
    });
  }

  private async tries(open: OpenOrder, isOver: () => boolean): Promise<CheckOutcome> {
    const { merchantServer, scheduler } = this.ports;
    for (let tried = 1; tried <= TRIES_MAX && !isOver(); tried++) {
      const outcome = await merchantServer.check(open);
      if (outcome.kind !== 'unreachable') return outcome;
      await sleep(scheduler, backOffMs(tried, GAP_MIN_MS, GAP_MAX_MS));
    }
    return { kind: 'unreachable' };
  }

  private async resultOf(open: OpenOrder, outcome: CheckOutcome): Promise<CheckResult> {
    if (outcome.kind === 'unreachable') return { kind: 'failed', cause: 'unreachable' };
    if (outcome.kind === 'failed') return outcome;
    const { kind: _passed, randomSum: reported, ...named } = outcome;
    const { order } = open;
    const card = named.source?.card ?? order.card;
    const destination = named.destination?.card ?? order.destination;
    if (card === undefined || (order.plan.operation === 'transfer' && destination === undefined)) return MALFORMED;
    const randomSum = await this.ports.randomSums.resultOf(order.merchant, card.uid, reported);
    const fees = await this.feesFor(open, card, destination);
    return { kind: 'passed', ...fees, ...named, ...(randomSum !== undefined && { randomSum }) };
  }

  private async feesFor(
    open: OpenOrder,
    card: OrderCard,
    destination: ReceivingCard | undefined,
  ): Promise<{ readonly offers: readonly FeeOffer[]; readonly feeAskedBy?: GateAlias }> {
    if (open.order.plan.device?.feeChoiceMs === undefined || destination === undefined) return { offers: [] };
    const offers = await this.ports.fees.offersFor(open, { sourceBin: card.face.bin, destinationBin: destination.face.bin });
    const feeAskedBy = offers.length > 0 ? undefined : this.ports.fees.askedBy(open);
    return { offers, ...(feeAskedBy !== undefined && { feeAskedBy }) };
  }
}
