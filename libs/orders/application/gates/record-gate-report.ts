import { present, sleep, type GateAlias, type Instant, type Monotonic, type Scheduler } from '@app/kernel';
import type { InquiryAnswer, OutcomeReport } from '@app/gateway-adapters/contract';
import type { InFlightCalls } from './in-flight-calls';
import { followUpAnswerOf } from './gate-answer';
import type { GateCaller } from './gate-caller';
import type { InquireAttempt } from './inquire-attempt';
import type { Attempt, GateAnswer } from '../../domain';
import type { OpenOrder, OrderContexts } from '../order-context';
import { orderAfter, type OrderRecorder, type SeenClaim } from '../order-recorder';
import type { ReceivedReportOutcome, ReceivedReport } from './gate-notification-ports';
import { isOpenAttempt, sentUnderKey, type SentUnderKey } from './sent-requests';

/** After this the summary is recorded without the full outcome. */
const SUMMARY_WAITS_MS = 5_000;
/** The gate's status may lag behind its report. */
const SUMMARY_GAP_MS = 1_000;
/** Limited, because payments need the gate's connections too. */
const SUMMARY_QUESTIONS_MAX = 32;

export interface RecordReportPorts {
  readonly contexts: Pick<OrderContexts, 'findByStream'>;
  readonly recorder: OrderRecorder;
  readonly caller: Pick<GateCaller, 'translate'>;
  readonly underWay: Pick<InFlightCalls, 'forget'>;
  readonly inquiring: Pick<InquireAttempt, 'ask'>;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

type Ending = Extract<GateAnswer, { readonly kind: 'approved' | 'declined' | 'not-asked' }>;

const isEnding = (answer: { readonly kind: string } | undefined): answer is Ending =>
  answer?.kind === 'approved' || answer?.kind === 'declined' || answer?.kind === 'not-asked';

/** A refusal covers only what had left when the gate reported it. */
const judgedSentAt = ({ sentAt }: SentUnderKey, { kind }: { readonly kind: string }): Instant | undefined =>
  kind === 'not-asked' ? sentAt : undefined;

export type RecordedReport = Extract<ReceivedReportOutcome, 'recorded' | 'nothing-new' | 'undecided' | 'unknown'>;

/** Records an outcome that a gate reported, by the rules of an inquiry's answer. Repeats and reordering are harmless. */
export class RecordReport {
  readonly #asking = new Map<GateAlias, number>();

  constructor(private readonly ports: RecordReportPorts) {}

  /**
   * `unknown` if the log has no such key of this gate, or not yet.
   * @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable if it may not be recorded; a repeat is recorded once
   */
  async record({ gate, stream, report, deadline }: ReceivedReport<OutcomeReport>): Promise<RecordedReport> {
    const open = await this.ports.contexts.findByStream(stream, deadline);
    const sent = open && sentUnderKey(open, gate, report.key);
    if (open === undefined || sent === undefined) return 'unknown';
    const told = report.answerTo(sent.request);
    const whole = report.isSummary === true ? await this.wholeOutcome(open, sent, told) : undefined;
    const tell = (from: OpenOrder): Promise<SeenClaim | undefined> => this.claim(from, sent, told);
    const tellWhole = (from: OpenOrder): Promise<SeenClaim | undefined> =>
      whole === undefined
        ? Promise.resolve(undefined)
        : this.ports.recorder.claimAnswer(from, { key: report.key, answer: whole, judgedSentAt: judgedSentAt(sent, whole) });
    // The approval goes first, because anything else lets a cascade continue; the other becomes a late answer.
    const isWholeFirst = whole !== undefined && (whole.kind === 'approved' || told.kind !== 'approved');
    const claim = await (isWholeFirst ? tellWhole(open) : tell(open));
    if (claim !== undefined && whole !== undefined) await (isWholeFirst ? tell : tellWhole)(orderAfter(claim));
    if (claim === undefined) return 'undecided';
    if (claim.kind === 'refused') return 'nothing-new';
    this.ports.underWay.forget(report.key);
    return 'recorded';
  }

  private async claim(open: OpenOrder, sent: SentUnderKey, told: InquiryAnswer): Promise<SeenClaim | undefined> {
    const { recorder, caller } = this.ports;
    // Only silence ends a request that the gate never received, and this gate is not silent.
    if (told.kind === 'not-found' || told.kind === 'unknown') return undefined;
    const { key } = sent.request;
    if (sent.kind === 'follow-up') {
      if (told.kind === 'payer-needed') return undefined;
      return recorder.claimFollowUpAnswer(open, {
        number: sent.number,
        key,
        answer: followUpAnswerOf(told),
        judgedSentAt: judgedSentAt(sent, told),
      });
    }
    if (sent.isPayerBack && (told.kind === 'not-asked' || told.kind === 'payer-needed')) return undefined;
    return recorder.claimAnswer(open, { key, answer: await caller.translate(open.order, told), judgedSentAt: judgedSentAt(sent, told) });
  }

  /** Undefined if nothing is open or the status has no outcome in time. The report is proof, and the gate need not repeat it. */
  private async wholeOutcome(open: OpenOrder, sent: SentUnderKey, told: InquiryAnswer): Promise<Ending | undefined> {
    const { monotonic, scheduler } = this.ports;
    const { attempts } = open.processing;
    const isOpen = attempts.status !== 'none' && attempts.key === sent.request.key && isOpenAttempt(attempts, attempts.gate);
    if (!isOpen || told.kind === 'not-found' || told.kind === 'unknown' || told.kind === 'payer-needed') return undefined;
    const named = told.kind === 'not-asked' ? undefined : told.gateOrderId;
    const attempt: Attempt = { ...attempts, ...present({ gateOrderId: attempts.gateOrderId ?? named }) };
    const endMs = monotonic.elapsedMs() + SUMMARY_WAITS_MS;
    for (;;) {
      const answer = await this.answerNow(open, attempt, endMs - monotonic.elapsedMs());
      if (answer !== undefined || monotonic.elapsedMs() + SUMMARY_GAP_MS >= endMs) return answer;
      await sleep(scheduler, SUMMARY_GAP_MS);
    }
  }

  private async answerNow(open: OpenOrder, attempt: Attempt, withinMs: number): Promise<Ending | undefined> {
    const { inquiring, recorder } = this.ports;
    const { gate, key, sentAt } = attempt;
    const asking = this.#asking.get(gate) ?? 0;
    if (asking >= SUMMARY_QUESTIONS_MAX) return undefined;
    this.#asking.set(gate, asking + 1);
    const late = (answer: GateAnswer): Promise<unknown> =>
      recorder.claimAnswer(open, { key, answer, judgedSentAt: answer.kind === 'not-asked' ? sentAt : undefined });
    try {
      const answer = await inquiring.ask(open, attempt, late, withinMs);
      return isEnding(answer) ? answer : undefined;
    } catch {
      return undefined;
    } finally {
      this.#asking.set(gate, (this.#asking.get(gate) ?? 1) - 1);
    }
  }
}
