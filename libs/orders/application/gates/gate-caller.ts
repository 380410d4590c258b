import {
  present,
  sleep,
  type AttemptKey,
  type Clock,
  type GateAlias,
  type MerchantLogin,
  type Money,
  type Random,
  type Scheduler,
} from '@app/kernel';
import type {
  CallLimit,
  ChargeAnswer,
  FollowUpAnswer as FollowUpWord,
  InquiryAnswer,
  PayerNeeded,
  GateOrderReference,
  TransferAnswer,
} from '@app/gateway-adapters/contract';
import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import { backOffMs, traceparentOf, type CallerTrace, type StreamName, type Traced } from '@app/event-store';
import {
  GATE_TIMEOUT_MS,
  SEALED_FIELDS,
  type FollowUpAnswer,
  type GateAnswer,
  type GateChoice,
  type OrderInProgress,
  type Taken,
} from '../../domain';
import { callInTime, type Ended } from './call-in-time';
import { type InFlightCalls, inquiryLane, workLane } from './in-flight-calls';
import { randomSumDigest } from './random-sums';
import { choiceOf, followUpAnswerOf, gateAnswerOf, wholeReference } from './gate-answer';
import type { OpenOrder } from '../order-context';
import { isStoreAway } from '../order-work-failed';

const BACK_OFF_MIN_MS = 50;
const BACK_OFF_MAX_MS = 5_000;

export type GateTask = 'submit' | 'complete' | 'choose' | 'inquire';

export interface GateCall {
  readonly task: GateTask;
  readonly stream: StreamName;
  readonly orderId: string;
  readonly merchant: MerchantLogin;
  readonly gate: GateAlias;
  readonly serial: string;
  readonly callerTrace?: CallerTrace;
  readonly followUp?: number;
}

export interface KeyedInquiry extends GateCall {
  readonly key: AttemptKey;
  /** Present if the caller has less time than a call. */
  readonly withinMs?: number;
}

export interface KeyedCall extends KeyedInquiry {
  /** The gate's limit for how long a sent request may take to arrive. */
  readonly longestFlightMs: number;
}

export interface GateCallerPorts {
  readonly sealer: OrderSealer;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly scheduler: Scheduler;
  readonly underWay: InFlightCalls;
  /** An error or its failed recording may name an adapter fault, never card data. */
  readonly onAdapterError: (error: unknown, call: GateCall) => void;
  /** Reports a slow gate to operators; the answer is recorded anyway. */
  readonly onLateAnswer: (call: GateCall, answer: string) => void;
}

type Silence = Extract<GateAnswer, { kind: 'unknown' }>;
type Definite<Answer> = Exclude<Answer, { readonly kind: 'unknown' }>;

const TIMED_OUT: Silence = { kind: 'unknown', cause: 'timeout' };

const laneOf = ({ merchant, gate }: GateCall): string => workLane(merchant, gate);

export const gateCall = (
  open: OpenOrder,
  gate: GateAlias,
  { task, asked = open }: { readonly task: GateTask; readonly asked?: Traced | undefined },
): GateCall => {
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

/** Calls a gate once and maps silence and every throw to unknown, because money may have moved. A late answer is recorded like any other. */
export class GateCaller {
  /** Inquiries past their timeout that still run. */
  readonly #lookedAt = new Set<AttemptKey>();

  constructor(private readonly ports: GateCallerPorts) {}

  /**
   * Holds a key from before the claim until the answer is recorded. Otherwise another process could treat a delayed charge as one that never left.
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

  /** @param recordLate records an answer that arrives after the timeout */
  async ask(
    order: OrderInProgress,
    keyed: KeyedCall,
    {
      call,
      recordLate,
    }: {
      readonly call: (limit: CallLimit) => Promise<TransferAnswer>;
      readonly recordLate: (answer: GateAnswer | GateChoice) => Promise<unknown>;
    },
  ): Promise<GateAnswer | GateChoice> {
    const answered = await this.send(keyed, call, async (answer) => recordLate(await this.translate(order, answer)));
    return answered.kind === 'unknown' ? answered : this.translate(order, answered);
  }

  async askFollowUp(
    keyed: KeyedCall,
    call: (limit: CallLimit) => Promise<FollowUpWord>,
    recordLate: (answer: FollowUpAnswer) => Promise<unknown>,
  ): Promise<FollowUpAnswer> {
    const answered = await this.send(keyed, call, (answer) => recordLate(followUpAnswerOf(answer)));
    return answered.kind === 'unknown' ? answered : followUpAnswerOf(answered);
  }

  async inquire(
    order: OrderInProgress,
    about: KeyedInquiry,
    {
      call,
      recordLate,
    }: { readonly call: (limit: CallLimit) => Promise<InquiryAnswer>; readonly recordLate: (answer: GateAnswer) => Promise<unknown> },
  ): Promise<GateAnswer | { readonly kind: 'not-found' }> {
    const answered = await this.sendInquiry(about, call, async (answer) => recordLate(await this.translate(order, answer)));
    return answered.kind === 'not-found' || answered.kind === 'unknown' ? answered : this.translate(order, answered);
  }

  async inquireFollowUp(
    about: KeyedInquiry,
    call: (limit: CallLimit) => Promise<InquiryAnswer>,
    recordLate: (answer: FollowUpAnswer) => Promise<unknown>,
  ): Promise<FollowUpAnswer | { readonly kind: 'not-found' }> {
    const answered = await this.sendInquiry(about, call, async (answer) => {
      if (answer.kind !== 'payer-needed') await recordLate(followUpAnswerOf(answer));
    });
    if (answered.kind === 'not-found' || answered.kind === 'unknown') return answered;
    return answered.kind === 'payer-needed' ? { kind: 'unknown', cause: 'unrecognised-answer' } : followUpAnswerOf(answered);
  }

  /** Holds the key and its room until the call itself has ended, because the call may move money. */
  private async send<Answer extends TransferAnswer>(
    keyed: KeyedCall,
    call: (limit: CallLimit) => Promise<Answer>,
    recordLate: (answer: Definite<Answer>) => Promise<unknown>,
  ): Promise<Definite<Answer> | Silence> {
    const { underWay, scheduler } = this.ports;
    const { key, longestFlightMs } = keyed;
    underWay.hold(key);
    const outcome = await callInTime({ scheduler, timeoutMs: GATE_TIMEOUT_MS, call, traceparent: () => this.traceparentOf(keyed) });
    if (outcome.kind === 'late') {
      void this.awaitLateAnswer(keyed, laneOf(keyed), outcome.ending, recordLate).then((isSettled) =>
        underWay.release(key, isSettled ? 0 : longestFlightMs),
      );
      return TIMED_OUT;
    }
    const answered = this.answerOf(outcome, keyed);
    underWay.release(key, answered.kind === 'unknown' ? longestFlightMs : 0);
    return answered.kind === 'unknown' ? { kind: 'unknown', cause: answered.cause, isCallOver: true } : (answered as Definite<Answer>);
  }

  /** The same inquiry is not sent again before the call has ended. */
  private async sendInquiry(
    about: KeyedInquiry,
    call: (limit: CallLimit) => Promise<InquiryAnswer>,
    recordLate: (answer: Exclude<Definite<InquiryAnswer>, { readonly kind: 'not-found' }>) => Promise<unknown>,
  ): Promise<Definite<InquiryAnswer> | Silence> {
    const { underWay, scheduler } = this.ports;
    const room = inquiryLane(about.merchant, about.gate);
    if (this.#lookedAt.has(about.key) || !underWay.hasRoomIn(room)) return TIMED_OUT;
    const outcome = await callInTime({
      scheduler,
      timeoutMs: about.withinMs ?? GATE_TIMEOUT_MS,
      call,
      traceparent: () => this.traceparentOf(about),
    });
    if (outcome.kind !== 'late') return this.answerOf(outcome, about);
    this.#lookedAt.add(about.key);
    const record = async (answer: InquiryAnswer): Promise<void> => {
      if (answer.kind !== 'not-found' && answer.kind !== 'unknown') await recordLate(answer);
    };
    void this.awaitLateAnswer(about, room, outcome.ending, record).finally(() => this.#lookedAt.delete(about.key));
    return TIMED_OUT;
  }

  private async awaitLateAnswer<Answer extends InquiryAnswer | TransferAnswer>(
    call: GateCall,
    room: string,
    ending: Promise<Ended<Answer>>,
    record: (answer: Definite<Answer>) => Promise<unknown>,
  ): Promise<boolean> {
    const { underWay, onLateAnswer } = this.ports;
    underWay.overdueBegan(room);
    try {
      const answered = this.answerOf(await ending, call);
      // A call cut off at its timeout ends as unknown, and an inquiry's "not found" is asked again: neither is an answer.
      if (answered.kind !== 'unknown' && answered.kind !== 'not-found') onLateAnswer(call, answered.kind);
      return answered.kind === 'unknown' ? false : await this.recordUntilStored(call, () => record(answered as Definite<Answer>));
    } finally {
      underWay.overdueEnded(room);
    }
  }

  /** Keeps the answer in memory until the log is available, because nothing else will record it. */
  private async recordUntilStored(call: GateCall, record: () => Promise<unknown>): Promise<boolean> {
    for (let tried = 1; ; tried++) {
      try {
        await record();
        return true;
      } catch (error) {
        this.ports.onAdapterError(error, call);
        if (!isStoreAway(error)) return false; // the next inquiry gets the same answer
        await sleep(this.ports.scheduler, backOffMs(tried, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
      }
    }
  }

  /** If recording the gate's data for later inquiries fails, the call continues. */
  noting(order: OrderInProgress, call: GateCall, limit: CallLimit, record: (taken: Taken) => Promise<unknown>): CallLimit {
    const { sealer, onAdapterError } = this.ports;
    const taken = async ({ gateOrderId, session }: GateOrderReference): Promise<void> => {
      try {
        const key = session && (await sealer.takeKey());
        const sealed = session && key?.seal(order.merchant, SEALED_FIELDS.gateSession, session.reveal());
        await record(present({ gateOrderId: wholeReference(gateOrderId), session: sealed }));
      } catch (error) {
        onAdapterError(error, call);
      }
    };
    return {
      withinMs: limit.withinMs,
      get signal() {
        return limit.signal;
      },
      get trace() {
        return limit.trace;
      },
      taken,
    };
  }

  private traceparentOf({ serial: correlation, callerTrace }: GateCall): string | undefined {
    return traceparentOf({ correlation, callerTrace }, this.ports.random);
  }

  private answerOf<Answer>(ended: Ended<Answer>, call: GateCall): Answer | Silence {
    if (ended.kind === 'answered') return ended.answer;
    this.ports.onAdapterError(ended.error, call);
    return { kind: 'unknown', cause: 'adapter-failed' };
  }

  /** Seals or digests data that are only for the payer or the cardholder. */
  async translate(order: OrderInProgress, answer: ChargeAnswer): Promise<GateAnswer>;
  async translate(order: OrderInProgress, answer: TransferAnswer): Promise<GateAnswer | GateChoice>;
  async translate(order: OrderInProgress, answer: TransferAnswer): Promise<GateAnswer | GateChoice> {
    const { merchant, plan } = order;
    const now = this.ports.clock.now();
    if (answer.kind === 'choice-needed') {
      const sessionKey = await this.ports.sealer.takeKey();
      const sealSession = (session: string) => sessionKey.seal(merchant, SEALED_FIELDS.gateSession, session);
      return choiceOf(answer, { now, feeChoiceMs: plan.device?.feeChoiceMs ?? 0, seal: sealSession });
    }
    const key = answer.kind === 'payer-needed' ? await this.ports.sealer.takeKey() : undefined;
    const seal = (page: PayerNeeded['page']) => {
      if (key === undefined) throw new Error('a page without a key');
      return key.seal(merchant, SEALED_FIELDS.payerPage, JSON.stringify(page));
    };
    const digest = (sum: Money) => {
      if (order.card === undefined) throw new Error('a gate was asked without a card');
      return randomSumDigest(this.ports.digests, { merchant, uid: order.card.uid, amount: sum });
    };
    return gateAnswerOf(answer, { now, payerMs: plan.payerMs, seal, digest });
  }
}
