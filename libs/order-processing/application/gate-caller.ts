import { addMs, type AttemptKey, type Clock, type Instant, type Money, type Scheduler } from '@app/kernel';
import type { ChargeAnswer, FollowUpAnswer as FollowUpWord, InquiryAnswer, PayerNeeded } from '@app/gateway-adapters/contract';
import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import { LEAVES_WITHIN_MS, SEALED_FIELDS, type FollowUpAnswer, type GateAnswer, type OrderUnderWay } from '../domain';
import { answerWithin } from './answer-within';
import { randomSumDigest } from './device/random-sums';
import { followUpAnswerOf, gateAnswerOf } from './gate-answer';

/** A gate that has not answered by then has said nothing (safety, F5). */
export const GATE_TIMEOUT_MS = 30_000;

export interface GateCallerPorts {
  readonly sealer: OrderSealer;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Told what a call threw: it may name a fault of the adapter, never card data. */
  readonly onAdapterError: (error: unknown) => void;
}

/** Calls a gate once, and makes an answer of silence and of every throw: unknown, for money may have moved. */
export class GateCaller {
  readonly #underWay = new Map<AttemptKey, number>();

  constructor(private readonly ports: GateCallerPorts) {}

  /**
   * Marks a key as long as this process may still send something under it: from before the claim, which others can read before its writer knows
   * of it, until the answer is recorded. A process that was held up in between must not be taken for one whose charge never flew.
   */
  async whileUnderWay<Result>(key: AttemptKey, work: () => Promise<Result>): Promise<Result> {
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#underWay.get(key) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(key);
      else this.#underWay.set(key, left);
    }
  }

  /** Whether this process may yet send something under the key; of another process only the flight's time says that. */
  isUnderWay(key: AttemptKey): boolean {
    return this.#underWay.has(key);
  }

  /** @param claimedAt what has not left soon after it stays: another process may believe by now that the gate will never hear of it */
  async ask(order: OrderUnderWay, claimedAt: Instant, call: () => Promise<ChargeAnswer>): Promise<GateAnswer> {
    if (this.isTooLate(claimedAt)) return { kind: 'not-asked', cause: 'never-heard-of' };
    return this.translate(order, await this.withinTime(call));
  }

  /** As `ask`, of what follows an approved transaction: no payer is asked for any more. */
  async askFollowUp(claimedAt: Instant, call: () => Promise<FollowUpWord>): Promise<FollowUpAnswer> {
    if (this.isTooLate(claimedAt)) return { kind: 'not-asked', cause: 'never-heard-of' };
    return followUpAnswerOf(await this.withinTime(call));
  }

  async inquire(order: OrderUnderWay, call: () => Promise<InquiryAnswer>): Promise<GateAnswer | { readonly kind: 'not-found' }> {
    const answer = await this.withinTime(call);
    return answer.kind === 'not-found' ? answer : this.translate(order, answer);
  }

  async inquireFollowUp(call: () => Promise<InquiryAnswer>): Promise<FollowUpAnswer | { readonly kind: 'not-found' }> {
    const answer = await this.withinTime(call);
    if (answer.kind === 'not-found') return answer;
    return answer.kind === 'payer-needed' ? { kind: 'unknown', cause: 'unrecognised-answer' } : followUpAnswerOf(answer);
  }

  private isTooLate(claimedAt: Instant): boolean {
    return this.ports.clock.now() > addMs(claimedAt, LEAVES_WITHIN_MS);
  }

  private async translate(order: OrderUnderWay, answer: ChargeAnswer): Promise<GateAnswer> {
    const key = answer.kind === 'payer-needed' ? await this.ports.sealer.takeKey() : undefined;
    const seal = (page: PayerNeeded['page']) => {
      if (key === undefined) throw new Error('a page without a key');
      return key.seal(order.merchant, SEALED_FIELDS.payerPage, JSON.stringify(page));
    };
    const digest = (sum: Money) => {
      if (order.card === undefined) throw new Error('a gate was asked without a card');
      return randomSumDigest(this.ports.digests, order.merchant, order.card.uid, sum);
    };
    return gateAnswerOf(answer, { now: this.ports.clock.now(), payerMs: order.plan.payerMs, seal, digest });
  }

  private withinTime<Answer>(call: () => Promise<Answer>): Promise<Answer | Extract<ChargeAnswer, { kind: 'unknown' }>> {
    return answerWithin<Answer, Extract<ChargeAnswer, { kind: 'unknown' }>>(this.ports.scheduler, GATE_TIMEOUT_MS, call, {
      late: () => ({ kind: 'unknown', cause: 'timeout' }),
      failed: (error) => {
        this.ports.onAdapterError(error);
        return { kind: 'unknown', cause: 'adapter-failed' };
      },
    });
  }
}
