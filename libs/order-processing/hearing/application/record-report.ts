import type { Deadline, GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { InquiryAnswer, OutcomeReport } from '@app/gateway-adapters/contract';
import type { CallsUnderWay } from '../../attempts/application/calls-under-way';
import { followUpAnswerOf } from '../../attempts/application/gate-answer';
import type { GateCaller } from '../../attempts/application/gate-caller';
import type { OpenOrder, OrderContexts } from '../../order/application/order-context';
import type { OrderRecorder, SeenClaim } from '../../order/application/order-recorder';
import type { HeardOutcome } from './ports';
import { sentUnderKey, type SentUnderKey } from './sent-under-key';

export interface RecordReportPorts {
  readonly contexts: Pick<OrderContexts, 'findByStream'>;
  readonly recorder: OrderRecorder;
  readonly caller: Pick<GateCaller, 'translate'>;
  readonly underWay: Pick<CallsUnderWay, 'forget'>;
}

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
    const claim = await this.claim(open, sent, report.answerTo(sent.request));
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
    // A refusal is one of what had left when it was said: it holds for nothing that left later.
    const judgedSentAt = told.kind === 'not-asked' ? sent.sentAt : undefined;
    if (sent.kind === 'follow-up') {
      if (told.kind === 'payer-needed') return undefined;
      return recorder.claimFollowUpAnswer(open, sent.number, key, followUpAnswerOf(told), judgedSentAt);
    }
    if (sent.isPayerBack && (told.kind === 'not-asked' || told.kind === 'payer-needed')) return undefined;
    return recorder.claimAnswer(open, key, await caller.translate(open.order, told), judgedSentAt);
  }
}
