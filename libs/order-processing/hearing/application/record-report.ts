import { present, sleep, type Deadline, type GateAlias, type Instant, type Monotonic, type Scheduler } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { InquiryAnswer, OutcomeReport } from '@app/gateway-adapters/contract';
import type { CallsUnderWay } from '../../attempts/application/calls-under-way';
import { followUpAnswerOf } from '../../attempts/application/gate-answer';
import type { GateCaller } from '../../attempts/application/gate-caller';
import type { InquireAttempt } from '../../attempts/application/inquire-attempt';
import type { Attempt, GateAnswer } from '../../domain';
import type { OpenOrder, OrderContexts } from '../../order/application/order-context';
import { orderAfter, type OrderRecorder, type SeenClaim } from '../../order/application/order-recorder';
import type { HeardOutcome } from './ports';
import { isOpenAttempt, sentUnderKey, type SentUnderKey } from './sent-under-key';

/** How long the gate is asked for the whole outcome before the outcome of a summary is recorded. */
export const SUMMARY_WAITS_MS = 5_000;
/** The gate's status may lag behind its report. */
const SUMMARY_GAP_MS = 1_000;

export interface RecordReportPorts {
  readonly contexts: Pick<OrderContexts, 'findByStream'>;
  readonly recorder: OrderRecorder;
  readonly caller: Pick<GateCaller, 'translate'>;
  readonly underWay: Pick<CallsUnderWay, 'forget'>;
  readonly inquiring: Pick<InquireAttempt, 'ask'>;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

/** An answer that ends an attempt. */
type Ending = Extract<GateAnswer, { readonly kind: 'approved' | 'declined' | 'not-asked' }>;

const isEnding = (answer: { readonly kind: string } | undefined): answer is Ending =>
  answer?.kind === 'approved' || answer?.kind === 'declined' || answer?.kind === 'not-asked';

/** A refusal is one of what had left when it was said: it holds for nothing that left later. */
const judgedSentAt = ({ sentAt }: SentUnderKey, { kind }: { readonly kind: string }): Instant | undefined =>
  kind === 'not-asked' ? sentAt : undefined;

const isContradicting = (whole: Ending | undefined, { kind }: InquiryAnswer): boolean =>
  (whole?.kind === 'approved' && kind === 'declined') || (whole?.kind === 'declined' && kind === 'approved');

export type RecordedReport = Extract<HeardOutcome, 'recorded' | 'nothing-new' | 'undecided' | 'unknown'>;

/** Records what a gate said by itself of an outcome, by the rules of an inquiry's answer: said twice or in another order it is recorded once. */
export class RecordReport {
  constructor(private readonly ports: RecordReportPorts) {}

  /**
   * `unknown` where the log knows no such key of this gate, also where it does not know it yet.
   * @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable where it may not be recorded; said again, it is recorded once
   */
  async record(gate: GateAlias, stream: StreamName, report: OutcomeReport, deadline?: Deadline): Promise<RecordedReport> {
    const open = await this.ports.contexts.findByStream(stream, deadline);
    const sent = open && sentUnderKey(open, gate, report.key);
    if (open === undefined || sent === undefined) return 'unknown';
    const told = report.answerTo(sent.request);
    const whole = report.isSummary === true ? await this.wholeOutcome(open, sent, told) : undefined;
    const recorded = whole && (await this.ports.recorder.claimAnswer(open, report.key, whole, judgedSentAt(sent, whole)));
    const claim = recorded ?? (await this.claim(open, sent, told));
    // The gate's status and its report contradict each other: the second one is recorded as a late answer, for people to see.
    if (recorded !== undefined && isContradicting(whole, told)) await this.claim(orderAfter(recorded), sent, told);
    if (claim === undefined) return 'undecided';
    if (claim.kind === 'refused') return 'nothing-new';
    this.ports.underWay.forget(report.key);
    return 'recorded';
  }

  /** Undefined where the answer decides nothing. */
  private async claim(open: OpenOrder, sent: SentUnderKey, told: InquiryAnswer): Promise<SeenClaim | undefined> {
    const { recorder, caller } = this.ports;
    // Only silence ends a request that the gate never had, and a gate that speaks of it is not silent.
    if (told.kind === 'not-found' || told.kind === 'unknown') return undefined;
    const { key } = sent.request;
    if (sent.kind === 'follow-up') {
      if (told.kind === 'payer-needed') return undefined;
      return recorder.claimFollowUpAnswer(open, sent.number, key, followUpAnswerOf(told), judgedSentAt(sent, told));
    }
    if (sent.isPayerBack && (told.kind === 'not-asked' || told.kind === 'payer-needed')) return undefined;
    return recorder.claimAnswer(open, key, await caller.translate(open.order, told), judgedSentAt(sent, told));
  }

  /**
   * What the gate's status tells of an outcome that it reported in brief. Undefined where nothing is open any more, and where the status tells no outcome
   * in time: the report is a proof, and the gate need not say it again.
   */
  private async wholeOutcome(open: OpenOrder, sent: SentUnderKey, told: InquiryAnswer): Promise<Ending | undefined> {
    const { monotonic, scheduler } = this.ports;
    const { attempts } = open.processing;
    const isOpen = attempts.status !== 'none' && attempts.key === sent.request.key && isOpenAttempt(attempts, attempts.gate);
    if (!isOpen || told.kind === 'not-found' || told.kind === 'unknown' || told.kind === 'payer-needed') return undefined;
    // A gate that named the order in its report is asked by that name.
    const named = told.kind === 'not-asked' ? undefined : told.gateOrderId;
    const attempt: Attempt = { ...attempts, ...present({ gateOrderId: attempts.gateOrderId ?? named }) };
    const endMs = monotonic.elapsedMs() + SUMMARY_WAITS_MS;
    let endWait: () => void = () => undefined;
    const timeOver = new Promise<undefined>((resolve) => (endWait = () => resolve(undefined)));
    const timer = scheduler.after(SUMMARY_WAITS_MS, endWait);
    try {
      for (;;) {
        const answer = await Promise.race([this.answerNow(open, attempt), timeOver]);
        if (answer !== undefined || monotonic.elapsedMs() + SUMMARY_GAP_MS > endMs) return answer;
        await sleep(scheduler, SUMMARY_GAP_MS);
      }
    } finally {
      timer.cancel();
    }
  }

  private async answerNow(open: OpenOrder, attempt: Attempt): Promise<Ending | undefined> {
    const { inquiring, recorder } = this.ports;
    const late = (answer: GateAnswer): Promise<unknown> =>
      recorder.claimAnswer(open, attempt.key, answer, answer.kind === 'not-asked' ? attempt.sentAt : undefined);
    const answer = await inquiring.ask(open, attempt, late).catch(() => undefined);
    return isEnding(answer) ? answer : undefined;
  }
}
