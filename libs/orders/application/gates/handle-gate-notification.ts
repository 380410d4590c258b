import { unreachable, type AttemptKey, type Deadline, type GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { DisputeReported, GateReport, Gates, InboundReply, InboundRequest, OutcomeReport } from '@app/gateway-adapters/contract';
import type { EarlyReports } from './early-reports';
import type { ReceivedDisputes } from './record-dispute-report';
import type { UnverifiedNotifications } from './unverified-notifications';
import type { GateNotificationListener, NotifiedRequest, OrderAgenda, RequestIndex } from './gate-notification-ports';
import type { RecordedReport, RecordReport } from './record-gate-report';

export interface HandleGateNotificationPorts {
  readonly gates: Pick<Gates, 'find'>;
  readonly recording: Pick<RecordReport, 'record'>;
  readonly disputes: Pick<ReceivedDisputes, 'record'>;
  readonly early: Pick<EarlyReports, 'keep' | 'stop'>;
  readonly unverified: Pick<UnverifiedNotifications, 'take' | 'stop'>;
  readonly requests: RequestIndex;
  readonly agenda: OrderAgenda;
  readonly listener: GateNotificationListener;
}

/** Format of our attempt keys. Anything else is ignored. */
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The gate has to send its early report again. */
export class EarlyReportsFull extends Error {
  override readonly name = 'EarlyReportsFull';
}

/**
 * Handles gate notifications: authenticated reports are recorded like an inquiry's answer, anything else leads at most to an inquiry (safety, F6).
 */
export class HandleGateNotification {
  constructor(private readonly ports: HandleGateNotificationPorts) {}

  listens(gate: GateAlias): boolean {
    return this.ports.gates.find(gate)?.listening !== undefined;
  }

  /**
   * Undefined if the gate takes no notifications.
   * @param notified the request that the address names, if any
   * @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable, EarlyReportsFull if the gate has to send it again; adapter errors
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
    if (reports.length === 0) this.ports.listener.heard(gate, 'nothing', 'nothing-new');
    for (const report of reports) await this.apply(gate, notified, report, deadline);
    return reply;
  }

  async stop(): Promise<void> {
    this.ports.early.stop();
    await this.ports.unverified.stop();
  }

  private apply(gate: GateAlias, notified: NotifiedRequest | undefined, report: GateReport, deadline?: Deadline): Promise<void> {
    if (!KEY.test(report.key)) {
      this.ports.listener.heard(gate, report.kind, 'unknown');
      return Promise.resolve();
    }
    switch (report.kind) {
      case 'outcome':
        return this.applyOutcome(gate, notified, report, deadline);
      case 'dispute':
        return this.applyDispute(gate, notified, report, deadline);
      case 'hint':
        this.ports.unverified.take(gate, { stream: notified?.stream, key: report.key });
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
    const { early, listener } = this.ports;
    const { key } = report;
    if (await this.isRecorded(gate, notified, report, deadline)) return;
    // The address belongs to another key, so waiting cannot help.
    if (notified !== undefined && key !== notified.key) return listener.heard(gate, 'outcome', 'unknown');
    const isKept = early.keep({
      retry: () => this.isRecorded(gate, notified, report),
      giveUp: () => {
        listener.heard(gate, 'outcome', 'never-known');
        listener.neverKnown(gate, notified ?? { key });
      },
      onError: (error) => listener.notificationFailed(gate, error, notified?.stream),
    });
    listener.heard(gate, 'outcome', isKept ? 'early' : 'no-room');
    if (!isKept) throw new EarlyReportsFull(`${gate}: no room for a report that came early`);
  }

  /** False if the log does not have the key, or not yet. */
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
    const { disputes, listener } = this.ports;
    const { key } = report;
    for (const stream of await this.streamsOf(notified, key, deadline)) {
      const recorded = await disputes.record({ gate, stream, report, deadline });
      if (recorded !== 'unknown') return listener.heard(gate, 'dispute', recorded);
    }
    listener.heard(gate, 'dispute', 'unknown');
    listener.neverKnown(gate, notified ?? { key });
  }

  private streamsOf(notified: NotifiedRequest | undefined, key: AttemptKey, deadline?: Deadline): Promise<readonly StreamName[]> {
    return notified === undefined ? this.ports.requests.streamsOf(key, deadline) : Promise.resolve([notified.stream]);
  }

  /** The work is already scheduled; this only makes it sooner. */
  private async recordedAs(gate: GateAlias, stream: StreamName, { key }: OutcomeReport, recorded: RecordedReport): Promise<void> {
    const { unverified, agenda, listener } = this.ports;
    listener.heard(gate, 'outcome', recorded);
    if (recorded === 'undecided') unverified.take(gate, { stream, key });
    if (recorded !== 'recorded') return;
    try {
      await agenda.dueNow(stream);
    } catch (error) {
      listener.notificationFailed(gate, error, stream);
    }
  }
}
