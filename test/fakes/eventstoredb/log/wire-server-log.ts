import { recordBytes, TOMBSTONE_REVISION, type LogRecord, type ProposedEvent } from './log-record';
import { isMetastream, metadataOf, metastreamOf, originalOf, type StreamMetadata } from './stream-metadata';

/** Positions begin anywhere; a first one that nobody could take for an index. */
const FIRST_POSITION = 21_925_740n;
/** What a start of a server writes for itself: the positions after it do not follow those before. */
const EPOCH_RECORD_BYTES = 296n;

/** Called after each write, with what was written. */
export type LogListener = (records: readonly LogRecord[]) => void;

/** The disk of a wire server: what was written outlives the server that wrote it. */
export class WireServerLog {
  readonly #records: LogRecord[] = [];
  readonly #streams = new Map<string, LogRecord[]>();
  readonly #tombstoned = new Set<string>();
  readonly #metadata = new Map<string, StreamMetadata>();
  readonly #otherBoundaries = new Set<bigint>();
  readonly #listeners = new Set<LogListener>();
  #end = FIRST_POSITION;

  /** Number of events of the whole log. */
  get length(): number {
    return this.#records.length;
  }

  /** Where the next record will stand. */
  get end(): bigint {
    return this.#end;
  }

  at(index: number): LogRecord | undefined {
    return this.#records[index];
  }

  /** Index of the first event at or after the position. */
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

  /** Whether a record begins there; the log's start and all beyond its end count too. */
  isBoundary(position: bigint): boolean {
    if (position === 0n || position >= this.#end || this.#otherBoundaries.has(position)) return true;
    return this.#records[this.indexOf(position)]?.position === position;
  }

  /** All that was ever written to the stream, whatever its metadata hide. */
  eventsOf(stream: string): readonly LogRecord[] {
    return this.#streams.get(stream) ?? [];
  }

  lastOf(stream: string): LogRecord | undefined {
    return this.#streams.get(stream)?.at(-1);
  }

  /** Of a metadata stream, whether its stream is. */
  isTombstoned(stream: string): boolean {
    return this.#tombstoned.has(stream) || (isMetastream(stream) && this.#tombstoned.has(originalOf(stream)));
  }

  /** Revision of the last event before a tombstone; -1n where there never was one. */
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

  /** As one write; the listeners hear of it when all of it stands. */
  write(stream: string, events: readonly ProposedEvent[], createdMs: number): readonly LogRecord[] {
    let all = this.#streams.get(stream);
    if (all === undefined) this.#streams.set(stream, (all = []));
    const written: LogRecord[] = [];
    for (const [index, event] of events.entries()) {
      // The events of one append may be taken at different moments: nothing may demand that they are the same.
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

  /** An append of no events takes a place in the log and shows nowhere. */
  writeNothing(stream: string): bigint {
    return this.#skip(recordBytes(stream, '', 0, 0));
  }

  /** What a server writes when it starts. */
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
