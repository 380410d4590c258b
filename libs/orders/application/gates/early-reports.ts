import type { Monotonic, Scheduled, Scheduler } from '@app/kernel';

/** A report is kept for so long (safety, F6). */
export const EARLY_KEPT_MS = 600_000;
/** Reports kept at one time; each holds no more than one inbound request. */
export const EARLY_REPORTS_MAX = 256;
/** When a kept report is looked at again; the last gap repeats. */
const GAPS_MS = [250, 1_000, 2_000, 5_000, 15_000] as const;

/** One report that came before the log knew its key. */
export interface EarlyReport {
  /** Tries to record it; false where the log does not know it yet. A throw is a try that failed. */
  readonly retry: () => Promise<boolean>;
  /** Called where it was kept for as long as it may. */
  readonly giveUp: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps reports that came too early, in memory and for a limited time: the append of another process that makes their key known may be under way. What a
 * stop forgets, the order's own inquiries find out.
 */
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

  /** False where there is no room for it. */
  keep(report: EarlyReport): boolean {
    if (this.#isStopped || this.#kept >= EARLY_REPORTS_MAX) return false;
    this.#kept++;
    this.#lookLater(report, this.monotonic.elapsedMs(), 0);
    return true;
  }

  /** Forgets all of them. */
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
