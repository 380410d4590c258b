import { unreachable, type AttemptKey, type Deadline, type GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { DisputeReported, GateReport, Gates, InboundReply, InboundRequest, OutcomeReport } from '@app/gateway-adapters/contract';
import type { EarlyReports } from './early-reports';
import type { HeardDisputes } from './record-dispute-report';
import type { Hints } from './hints';
import type { HearingWatch, NotifiedRequest, OrderAgenda, RequestIndex } from './hearing-ports';
import type { RecordedReport, RecordReport } from './record-gate-report';

export interface HearGatePorts {
  readonly gates: Pick<Gates, 'find'>;
  readonly recording: Pick<RecordReport, 'record'>;
  readonly disputes: Pick<HeardDisputes, 'record'>;
  readonly early: Pick<EarlyReports, 'keep' | 'stop'>;
  readonly hints: Pick<Hints, 'take' | 'stop'>;
  readonly requests: RequestIndex;
  readonly agenda: OrderAgenda;
  readonly watch: HearingWatch;
}

/** As every key of ours is made; any other text is none, and is neither looked for nor kept. */
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** There is no room to keep a report that came too early: the gate has to say it again. */
export class NoRoomForReport extends Error {
  override readonly name = 'NoRoomForReport';
}

/**
 * Hears what gates tell by themselves, in whichever process it arrives: what an adapter has authenticated is recorded as an inquiry's answer is, anything
 * else leads to an inquiry at most (safety, F6).
 */
export class HearGate {
  constructor(private readonly ports: HearGatePorts) {}

  /** Whether the configuration has such a gate, and the gate listens. */
  listens(gate: GateAlias): boolean {
    return this.ports.gates.find(gate)?.listening !== undefined;
  }

  /**
   * The answer for the gate; undefined where it does not listen.
   * @param notified the request that the address names, where it names one
   * @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable, NoRoomForReport where the gate has to say it again; what the adapter throws
   */
  async hear({
    gate,
    notified,
    request,
    deadline,
  }: {
    readonly gate: GateAlias;
    readonly notified: NotifiedRequest | undefined;
    readonly request: InboundRequest;
    readonly deadline?: Deadline | undefined;
  }): Promise<InboundReply | undefined> {
    const listening = this.ports.gates.find(gate)?.listening;
    if (listening === undefined) return undefined;
    const { reply, reports } = await listening.listen(request);
    if (reports.length === 0) this.ports.watch.heard(gate, 'nothing', 'nothing-new');
    for (const report of reports) await this.apply(gate, notified, report, deadline);
    return reply;
  }

  /** Forgets what waits: the orders' own inquiries find it out. */
  async stop(): Promise<void> {
    this.ports.early.stop();
    await this.ports.hints.stop();
  }

  private apply(gate: GateAlias, notified: NotifiedRequest | undefined, report: GateReport, deadline?: Deadline): Promise<void> {
    if (!KEY.test(report.key)) {
      this.ports.watch.heard(gate, report.kind, 'unknown');
      return Promise.resolve();
    }
    switch (report.kind) {
      case 'outcome':
        return this.applyOutcome(gate, notified, report, deadline);
      case 'dispute':
        return this.applyDispute(gate, notified, report, deadline);
      case 'hint':
        this.ports.hints.take(gate, { stream: notified?.stream, key: report.key });
        return Promise.resolve();
      default:
        return unreachable(report);
    }
  }

  private async applyOutcome(
    gate: GateAlias,
    notified: NotifiedRequest | undefined,
    report: OutcomeReport,
    deadline?: Deadline,
  ): Promise<void> {
    const { early, watch } = this.ports;
    const { key } = report;
    if (await this.isRecorded(gate, notified, report, deadline)) return;
    // Of another key than its own the address will know nothing later either.
    if (notified !== undefined && key !== notified.key) return watch.heard(gate, 'outcome', 'unknown');
    const isKept = early.keep({
      retry: () => this.isRecorded(gate, notified, report),
      giveUp: () => {
        watch.heard(gate, 'outcome', 'never-known');
        watch.neverKnown(gate, notified ?? { key });
      },
      onError: (error) => watch.hearingFailed(gate, error, notified?.stream),
    });
    watch.heard(gate, 'outcome', isKept ? 'early' : 'no-room');
    if (!isKept) throw new NoRoomForReport(`${gate}: no room for a report that came early`);
  }

  /** False where the log does not know the key, or not yet. */
  private async isRecorded(
    gate: GateAlias,
    notified: NotifiedRequest | undefined,
    report: OutcomeReport,
    deadline?: Deadline,
  ): Promise<boolean> {
    for (const stream of await this.streamsOf(notified, report.key, deadline)) {
      const recorded = await this.ports.recording.record({ gate, stream, report, deadline });
      if (recorded === 'unknown') continue;
      await this.recordedAs(gate, stream, report, recorded);
      return true;
    }
    return false;
  }

  private async applyDispute(
    gate: GateAlias,
    notified: NotifiedRequest | undefined,
    report: DisputeReported,
    deadline?: Deadline,
  ): Promise<void> {
    const { disputes, watch } = this.ports;
    const { key } = report;
    for (const stream of await this.streamsOf(notified, key, deadline)) {
      const recorded = await disputes.record({ gate, stream, report, deadline });
      if (recorded !== 'unknown') return watch.heard(gate, 'dispute', recorded);
    }
    watch.heard(gate, 'dispute', 'unknown');
    // It comes weeks after the request, so that the log will not come to know the key.
    watch.neverKnown(gate, notified ?? { key });
  }

  /** Where the log may know the key: what the address names, or what the index finds where it names nothing. */
  private streamsOf(notified: NotifiedRequest | undefined, key: AttemptKey, deadline?: Deadline): Promise<readonly StreamName[]> {
    return notified === undefined ? this.ports.requests.streamsOf(key, deadline) : Promise.resolve([notified.stream]);
  }

  /** What follows of an outcome is on the agenda already; that it is looked at now only makes it sooner. */
  private async recordedAs(gate: GateAlias, stream: StreamName, { key }: OutcomeReport, recorded: RecordedReport): Promise<void> {
    const { hints, agenda, watch } = this.ports;
    watch.heard(gate, 'outcome', recorded);
    if (recorded === 'undecided') hints.take(gate, { stream, key });
    if (recorded !== 'recorded') return;
    try {
      await agenda.dueNow(stream);
    } catch (error) {
      watch.hearingFailed(gate, error, stream);
    }
  }
}
