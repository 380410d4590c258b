import type { Monotonic, Scheduled, Scheduler } from '@app/kernel';

/** How long a report is kept (safety, F6). */
export const EARLY_KEPT_MS = 600_000;
/** Each is at most one inbound request. */
export const EARLY_REPORTS_MAX = 256;
const GAPS_MS = [250, 1_000, 2_000, 5_000, 15_000] as const;

export interface EarlyReport {
  readonly retry: () => Promise<boolean>;
  readonly giveUp: () => void;
  readonly onError: (error: unknown) => void;
}

/** Keeps reports that arrive before the log has their key. After a stop, the orders' inquiries find the outcome. */
export class EarlyReports {
  readonly #waiting = new Set<Scheduled>();
  #kept = 0;
  #isStopped = false;

  constructor(
    private readonly monotonic: Monotonic,
    private readonly scheduler: Scheduler,
  ) {}

  get kept(): number {
    return this.#kept;
  }

  keep(report: EarlyReport): boolean {
    if (this.#isStopped || this.#kept >= EARLY_REPORTS_MAX) return false;
    this.#kept++;
    this.#lookLater(report, this.monotonic.elapsedMs(), 0);
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#waiting) timer.cancel();
    this.#waiting.clear();
    this.#kept = 0;
  }

  #lookLater(report: EarlyReport, keptSinceMs: number, tried: number): void {
    const leftMs = keptSinceMs + EARLY_KEPT_MS - this.monotonic.elapsedMs();
    const gapMs = GAPS_MS[Math.min(tried, GAPS_MS.length - 1)] ?? 0;
    const timer = this.scheduler.after(Math.max(Math.min(gapMs, leftMs), 0), () => {
      this.#waiting.delete(timer);
      void this.#look(report, keptSinceMs, tried + 1);
    });
    this.#waiting.add(timer);
  }

  async #look(report: EarlyReport, keptSinceMs: number, tried: number): Promise<void> {
    const isRecorded = await report.retry().catch((error: unknown) => {
      report.onError(error);
      return false;
    });
    if (this.#isStopped) return;
    if (!isRecorded && this.monotonic.elapsedMs() - keptSinceMs < EARLY_KEPT_MS) {
      this.#lookLater(report, keptSinceMs, tried);
      return;
    }
    this.#kept--;
    if (!isRecorded) report.giveUp();
  }
}
