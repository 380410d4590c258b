import type { Clock } from '@app/kernel';
import type { Actor, StreamName } from '@app/event-store';
import type { DisputeReported } from '@app/gateway-adapters/contract';
import { isEventOf, type DeviceOrderRejection, type DisputeEvent, type DisputeReport, type MisfitCause } from '../../domain';
import type { OpenOrder, OrderContexts } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import type { ReceivedReportOutcome, ReceivedReport } from './gate-notification-ports';
import { sentUnderKey } from './sent-requests';

/** Without a gate it concerns the approving one, because paper reports rarely use our alias. */
export type ManualDisputeReport = DisputeReport extends infer Report
  ? Report extends DisputeReport
    ? Omit<Report, 'gate'> & Partial<Pick<Report, 'gate'>>
    : never
  : never;

export type ReportRecorded =
  | { readonly kind: 'recorded'; readonly order: OpenOrder; readonly events: readonly DisputeEvent[] }
  | { readonly kind: 'set-aside'; readonly cause: MisfitCause }
  | { readonly kind: 'known'; readonly order: OpenOrder }
  | { readonly kind: 'refused'; readonly reason: DeviceOrderRejection['reason'] };

export class RecordDisputeReport {
  constructor(
    private readonly contexts: OrderContexts,
    private readonly recorder: OrderRecorder,
    private readonly clock: Clock,
  ) {}

  /**
   * Repeats and reordering are harmless.
   * @param by absent for a gate's report
   * @throws Error if the stream is no order; StoreUnavailable, OutcomeUnknown
   */
  async record(stream: StreamName, brought: ManualDisputeReport, by?: Actor): Promise<ReportRecorded> {
    const open = await this.contexts.open(stream);
    const { attempts } = open.processing;
    const gate = brought.gate ?? (attempts.status === 'none' ? undefined : attempts.gate);
    if (gate === undefined)
      return { kind: 'refused', reason: open.processing.end === undefined ? 'order-not-final' : 'order-not-approved' };
    const report: DisputeReport = { ...brought, gate };
    const claim = await this.recorder.claimWithRetries(open, () => ({ type: 'RecordReport', data: { report, now: this.clock.now() } }), {
      by,
    });
    if (claim.kind === 'refused') {
      const { reason } = claim.rejection;
      return reason === 'nothing-new' ? { kind: 'known', order: claim.seen } : { kind: 'refused', reason };
    }
    const events = claim.events.filter((event) => isEventOf(event, 'report'));
    const [first] = events;
    return first?.type === 'ReportSetAside'
      ? { kind: 'set-aside', cause: first.data.cause }
      : { kind: 'recorded', order: claim.order, events };
  }
}

type ReceivedDisputeOutcome = Extract<ReceivedReportOutcome, 'recorded' | 'nothing-new' | 'set-aside' | 'refused' | 'unknown'>;

const HEARD = { recorded: 'recorded', known: 'nothing-new', 'set-aside': 'set-aside', refused: 'refused' } as const;

export class ReceivedDisputes {
  constructor(
    private readonly contexts: Pick<OrderContexts, 'findByStream'>,
    private readonly disputes: Pick<RecordDisputeReport, 'record'>,
  ) {}

  /**
   * `unknown` if the stream has no attempt of this key at this gate: no gate may report for another.
   * @throws StoreUnavailable, OutcomeUnknown if it may not be recorded; a repeat is recorded once
   */
  async record({ gate, stream, report: { key, news }, deadline }: ReceivedReport<DisputeReported>): Promise<ReceivedDisputeOutcome> {
    const open = await this.contexts.findByStream(stream, deadline);
    if (open === undefined || sentUnderKey(open, gate, key)?.kind !== 'attempt') return 'unknown';
    const { kind } = await this.disputes.record(stream, { ...news, gate, source: 'gate', attemptKey: key });
    return HEARD[kind];
  }
}
