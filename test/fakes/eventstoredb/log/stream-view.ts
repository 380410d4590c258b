import type { LogRecord } from './log-record';
import type { WireServerLog } from './wire-server-log';

export type StreamState = 'found' | 'not-found' | 'deleted';

export class StreamView {
  readonly #log: WireServerLog;
  readonly #nowMs: () => number;

  constructor(log: WireServerLog, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  stateOf(stream: string): StreamState {
    if (this.#log.isTombstoned(stream)) return 'deleted';
    return this.#log.lastRevision(stream) < 0n || this.#log.metadata(stream).isSoftDeleted ? 'not-found' : 'found';
  }

  /** Undefined if it is hidden or its stream is deleted. */
  event(stream: string, revision: bigint): LogRecord | undefined {
    if (this.stateOf(stream) !== 'found') return undefined;
    const record = this.#log.eventsOf(stream)[Number(revision)];
    return record !== undefined && this.#isVisible(record) ? record : undefined;
  }

  *forwards(stream: string, from: bigint): Generator<LogRecord, void, undefined> {
    const first = this.#firstRevision(stream);
    for (let revision = from > first ? from : first; revision <= this.#log.lastRevision(stream); revision++) {
      const record = this.event(stream, revision);
      if (record !== undefined) yield record;
    }
  }

  *backwards(stream: string, from: bigint): Generator<LogRecord, void, undefined> {
    const last = this.#log.lastRevision(stream);
    const first = this.#firstRevision(stream);
    for (let revision = from < last ? from : last; revision >= first; revision--) {
      const record = this.event(stream, revision);
      if (record !== undefined) yield record;
    }
  }

  #firstRevision(stream: string): bigint {
    const { truncateBefore = 0n, countMax } = this.#log.metadata(stream);
    const byCount = countMax === undefined ? 0n : this.#log.lastRevision(stream) - BigInt(countMax) + 1n;
    return byCount > truncateBefore ? byCount : truncateBefore;
  }

  #isVisible(record: LogRecord): boolean {
    const { ageMaxMs } = this.#log.metadata(record.stream);
    if (ageMaxMs !== undefined && record.createdMs < this.#nowMs() - ageMaxMs) return false;
    return record.revision >= this.#firstRevision(record.stream);
  }
}
