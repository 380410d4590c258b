import {
  sleep,
  type AttemptKey,
  type Clock,
  type GateAlias,
  type MerchantLogin,
  type Money,
  type Random,
  type Scheduler,
} from '@app/kernel';
import type { CallLimit, ChargeAnswer, FollowUpAnswer as FollowUpWord, InquiryAnswer, PayerNeeded } from '@app/gateway-adapters/contract';
import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import { backOffMs, traceparentOf, type CallerTrace, type StreamName, type Traced } from '@app/event-store';
import { GATE_TIMEOUT_MS, SEALED_FIELDS, type FollowUpAnswer, type GateAnswer, type OrderUnderWay } from '../../domain';
import { callInTime, type Ended } from './call-in-time';
import type { CallsUnderWay } from './calls-under-way';
import { randomSumDigest } from '../../device/application/random-sums';
import { followUpAnswerOf, gateAnswerOf } from './gate-answer';
import type { OpenOrder } from '../../order/application/order-context';
import { isStoreAway } from '../../order/application/store-away';
import { inquiryLane, workLane } from '../../order/application/work-lane';

const BACK_OFF_MIN_MS = 50;
const BACK_OFF_MAX_MS = 5_000;

export type GateTask = 'submit' | 'complete' | 'inquire';

/** One call to a gate, as logs name it. */
export interface GateCall {
  readonly task: GateTask;
  readonly stream: StreamName;
  readonly orderId: string;
  readonly merchant: MerchantLogin;
  readonly gate: GateAlias;
  /** The request that asked for what is done. */
  readonly serial: string;
  /** Absent where it brought none. */
  readonly callerTrace?: CallerTrace;
  /** Of its order; absent for the order's own attempts. */
  readonly followUp?: number;
}

/** What is asked about a key. */
export interface KeyedLook extends GateCall {
  readonly key: AttemptKey;
}

/** What is sent under a key. */
export interface KeyedCall extends KeyedLook {
  /** The gate's own: how long what left may take to arrive. */
  readonly longestFlightMs: number;
}

export interface GateCallerPorts {
  readonly sealer: OrderSealer;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly scheduler: Scheduler;
  readonly underWay: CallsUnderWay;
  /** Told what a call threw, and what kept a late word from being recorded: it may name a fault of the adapter, never card data. */
  readonly onAdapterError: (error: unknown, call: GateCall) => void;
  /** A gate had answered a question after its time: what it said is recorded, and somebody should know that the gate does so. */
  readonly onLateAnswer: (call: GateCall, answer: string) => void;
}

type Silence = Extract<GateAnswer, { kind: 'unknown' }>;
type Definite<Answer> = Exclude<Answer, { readonly kind: 'unknown' }>;

const TIMED_OUT: Silence = { kind: 'unknown', cause: 'timeout' };

const laneOf = ({ merchant, gate }: GateCall): string => workLane(merchant, gate);

/** @param asked the request that wants it: a follow-up's, where it is not the one that made the order */
export const gateCall = (open: OpenOrder, gate: GateAlias, task: GateTask, asked: Traced = open): GateCall => {
  const { stream, order } = open;
  const { correlation: serial, callerTrace } = asked;
  return {
    task,
    stream,
    orderId: order.orderId,
    merchant: order.merchant,
    gate,
    serial,
    ...(callerTrace !== undefined && { callerTrace }),
  };
};

/**
 * Calls a gate once, and makes an answer of silence and of every throw: unknown, for money may have moved. A call that outlives its time is still
 * under way, and what it says then is recorded like any other word of the gate.
 */
export class GateCaller {
  /** Questions that outlived their time. */
  readonly #lookedAt = new Set<AttemptKey>();

  constructor(private readonly ports: GateCallerPorts) {}

  /**
   * Marks a key as long as this process may still send something under it: from before the claim, which others can read before its writer knows
   * of it, until the answer is recorded. A process that was held up in between must not be taken for one whose charge never flew. Where the answer
   * could not be recorded, the gate's books may still lag behind what it said.
   * @param longestFlightMs the gate's own
   */
  async whileUnderWay<Result>(key: AttemptKey, longestFlightMs: number, work: () => Promise<Result>): Promise<Result> {
    const { underWay } = this.ports;
    let flightMs = longestFlightMs;
    underWay.hold(key);
    try {
      const result = await work();
      flightMs = 0;
      return result;
    } finally {
      underWay.release(key, flightMs);
    }
  }

  /** @param recordLate writes down a word that came after the time was over */
  async ask(
    order: OrderUnderWay,
    keyed: KeyedCall,
    call: (limit: CallLimit) => Promise<ChargeAnswer>,
    recordLate: (answer: GateAnswer) => Promise<unknown>,
  ): Promise<GateAnswer> {
    const told = await this.send(keyed, call, async (answer) => recordLate(await this.translate(order, answer)));
    return told.kind === 'unknown' ? told : this.translate(order, told);
  }

  /** As `ask`, of what follows an approved transaction: no payer is asked for any more. */
  async askFollowUp(
    keyed: KeyedCall,
    call: (limit: CallLimit) => Promise<FollowUpWord>,
    recordLate: (answer: FollowUpAnswer) => Promise<unknown>,
  ): Promise<FollowUpAnswer> {
    const told = await this.send(keyed, call, (answer) => recordLate(followUpAnswerOf(answer)));
    return told.kind === 'unknown' ? told : followUpAnswerOf(told);
  }

  async inquire(
    order: OrderUnderWay,
    about: KeyedLook,
    call: (limit: CallLimit) => Promise<InquiryAnswer>,
    recordLate: (answer: GateAnswer) => Promise<unknown>,
  ): Promise<GateAnswer | { readonly kind: 'not-found' }> {
    const told = await this.look(about, call, async (answer) => recordLate(await this.translate(order, answer)));
    return told.kind === 'not-found' || told.kind === 'unknown' ? told : this.translate(order, told);
  }

  async inquireFollowUp(
    about: KeyedLook,
    call: (limit: CallLimit) => Promise<InquiryAnswer>,
    recordLate: (answer: FollowUpAnswer) => Promise<unknown>,
  ): Promise<FollowUpAnswer | { readonly kind: 'not-found' }> {
    const told = await this.look(about, call, async (answer) => {
      if (answer.kind !== 'payer-needed') await recordLate(followUpAnswerOf(answer));
    });
    if (told.kind === 'not-found' || told.kind === 'unknown') return told;
    return told.kind === 'payer-needed' ? { kind: 'unknown', cause: 'unrecognised-answer' } : followUpAnswerOf(told);
  }

  /** What may move money: its key is held until the call itself has ended, and its room with it. */
  private async send<Answer extends ChargeAnswer>(
    keyed: KeyedCall,
    call: (limit: CallLimit) => Promise<Answer>,
    recordLate: (answer: Definite<Answer>) => Promise<unknown>,
  ): Promise<Definite<Answer> | Silence> {
    const { underWay, scheduler } = this.ports;
    const { key, longestFlightMs } = keyed;
    underWay.hold(key);
    const heard = await callInTime(scheduler, GATE_TIMEOUT_MS, call, () => this.traceparentOf(keyed));
    if (heard.kind === 'late') {
      void this.hearOut(keyed, laneOf(keyed), heard.ending, recordLate).then((isSettled) =>
        underWay.release(key, isSettled ? 0 : longestFlightMs),
      );
      return TIMED_OUT;
    }
    const told = this.wordOf(heard, keyed);
    underWay.release(key, told.kind === 'unknown' ? longestFlightMs : 0);
    return told.kind === 'unknown' ? { kind: 'unknown', cause: told.cause, isCallOver: true } : (told as Definite<Answer>);
  }

  /** What moves nothing: its room is held until it has ended, and the same question is not asked again before. */
  private async look(
    about: KeyedLook,
    call: (limit: CallLimit) => Promise<InquiryAnswer>,
    recordLate: (answer: Exclude<Definite<InquiryAnswer>, { readonly kind: 'not-found' }>) => Promise<unknown>,
  ): Promise<Definite<InquiryAnswer> | Silence> {
    const { underWay, scheduler } = this.ports;
    const room = inquiryLane(about.merchant, about.gate);
    if (this.#lookedAt.has(about.key) || !underWay.hasRoomIn(room)) return TIMED_OUT;
    const heard = await callInTime(scheduler, GATE_TIMEOUT_MS, call, () => this.traceparentOf(about));
    if (heard.kind !== 'late') return this.wordOf(heard, about);
    this.#lookedAt.add(about.key);
    const record = async (answer: InquiryAnswer): Promise<void> => {
      if (answer.kind !== 'not-found' && answer.kind !== 'unknown') await recordLate(answer);
    };
    void this.hearOut(about, room, heard.ending, record).finally(() => this.#lookedAt.delete(about.key));
    return TIMED_OUT;
  }

  /** Waits for a call that outlived its time, and records what it says; false where it said nothing definite. */
  private async hearOut<Answer extends InquiryAnswer | ChargeAnswer>(
    call: GateCall,
    room: string,
    ending: Promise<Ended<Answer>>,
    record: (answer: Definite<Answer>) => Promise<unknown>,
  ): Promise<boolean> {
    const { underWay, onLateAnswer } = this.ports;
    underWay.overdueBegan(room);
    try {
      const told = this.wordOf(await ending, call);
      onLateAnswer(call, told.kind);
      return told.kind === 'unknown' ? false : await this.recordUntilItStands(call, () => record(told as Definite<Answer>));
    } finally {
      underWay.overdueEnded(room);
    }
  }

  /** Nobody comes back for it: as long as the log is away it is kept here, and the key with it. */
  private async recordUntilItStands(call: GateCall, record: () => Promise<unknown>): Promise<boolean> {
    for (let tried = 1; ; tried++) {
      try {
        await record();
        return true;
      } catch (error) {
        this.ports.onAdapterError(error, call);
        if (!isStoreAway(error)) return false; // the next inquiry is told the same
        await sleep(this.ports.scheduler, backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
      }
    }
  }

  private traceparentOf({ serial: correlation, callerTrace }: GateCall): string | undefined {
    return traceparentOf({ correlation, callerTrace }, this.ports.random);
  }

  private wordOf<Answer>(ended: Ended<Answer>, call: GateCall): Answer | Silence {
    if (ended.kind === 'answered') return ended.answer;
    this.ports.onAdapterError(ended.error, call);
    return { kind: 'unknown', cause: 'adapter-failed' };
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
}
