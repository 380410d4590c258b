import { recordBytes, TOMBSTONE_REVISION, type LogRecord, type ProposedEvent } from './log-record';
import { isMetastream, metadataOf, metastreamOf, originalOf, type StreamMetadata } from './stream-metadata';

/** The first position is arbitrary; this one cannot be mistaken for an index. */
const FIRST_POSITION = 21_925_740n;
/** Size of the server's own records at a start, which leave a gap in the positions. */
const EPOCH_RECORD_BYTES = 296n;

export type LogListener = (records: readonly LogRecord[]) => void;

export class WireServerLog {
  readonly #records: LogRecord[] = [];
  readonly #streams = new Map<string, LogRecord[]>();
  readonly #tombstoned = new Set<string>();
  readonly #metadata = new Map<string, StreamMetadata>();
  readonly #otherBoundaries = new Set<bigint>();
  readonly #listeners = new Set<LogListener>();
  #end = FIRST_POSITION;

  get length(): number {
    return this.#records.length;
  }

  get end(): bigint {
    return this.#end;
  }

  at(index: number): LogRecord | undefined {
    return this.#records[index];
  }

  indexOf(position: bigint): number {
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#records[middle]?.position ?? this.#end) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether a record begins there; the log's start and positions beyond its end count too. */
  isBoundary(position: bigint): boolean {
    if (position === 0n || position >= this.#end || this.#otherBoundaries.has(position)) return true;
    return this.#records[this.indexOf(position)]?.position === position;
  }

  eventsOf(stream: string): readonly LogRecord[] {
    return this.#streams.get(stream) ?? [];
  }

  lastOf(stream: string): LogRecord | undefined {
    return this.#streams.get(stream)?.at(-1);
  }

  /** A metadata stream counts as tombstoned if its stream is. */
  isTombstoned(stream: string): boolean {
    return this.#tombstoned.has(stream) || (isMetastream(stream) && this.#tombstoned.has(originalOf(stream)));
  }

  /** Revision of the last event before a tombstone; -1n if the stream never had one. */
  lastRevision(stream: string): bigint {
    return BigInt(this.eventsOf(stream).length) - 1n;
  }

  metadata(stream: string): StreamMetadata {
    const known = this.#metadata.get(stream);
    if (known !== undefined) return known;
    const fresh = metadataOf(stream, this.lastOf(metastreamOf(stream)));
    this.#metadata.set(stream, fresh);
    return fresh;
  }

  write(stream: string, events: readonly ProposedEvent[], createdMs: number): readonly LogRecord[] {
    let all = this.#streams.get(stream);
    if (all === undefined) this.#streams.set(stream, (all = []));
    const written: LogRecord[] = [];
    for (const [index, event] of events.entries()) {
      // The events of one append may have different times, so tests must not assume that they are equal.
      const record = this.#next(stream, BigInt(all.length), event, createdMs + index);
      all.push(record);
      written.push(record);
    }
    if (isMetastream(stream)) this.#metadata.delete(originalOf(stream));
    this.#tell(written);
    return written;
  }

  writeTombstone(stream: string, event: ProposedEvent, createdMs: number): LogRecord {
    const record = this.#next(stream, TOMBSTONE_REVISION, event, createdMs);
    this.#tombstoned.add(stream);
    this.#tell([record]);
    return record;
  }

  /** An append without events uses a position but is visible nowhere. */
  writeNothing(stream: string): bigint {
    return this.#skip(recordBytes(stream, '', 0, 0));
  }

  writeEpoch(): void {
    this.#skip(EPOCH_RECORD_BYTES);
  }

  listen(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #next(stream: string, revision: bigint, event: ProposedEvent, createdMs: number): LogRecord {
    const record: LogRecord = { ...event, stream, revision, position: this.#end, createdMs };
    this.#end += recordBytes(stream, event.type, event.data.length, event.metadata.length);
    this.#records.push(record);
    return record;
  }

  #skip(bytes: bigint): bigint {
    const position = this.#end;
    this.#otherBoundaries.add(position);
    this.#end += bytes;
    return position;
  }

  #tell(records: readonly LogRecord[]): void {
    for (const listener of [...this.#listeners]) listener(records);
  }
}
