import { randomUUID } from 'node:crypto';
import { BINARY_CONTENT, JSON_CONTENT, type LogRecord, type ProposedEvent } from './log-record';
import { RecentIds } from './recent-ids';
import { isMetastream, metastreamOf, originalOf, SOFT_DELETED_TEXT, undeletedText } from './stream-metadata';
import { StreamView } from './stream-view';
import type { WireServerLog } from './wire-server-log';

export type ExpectedRevision = 'no_stream' | 'any' | 'stream_exists' | bigint;

export type WriteOutcome =
  | {
      readonly kind: 'written';
      /** -1n if the stream has no event. */
      readonly revision: bigint;
      /** Undefined on a recognised retry whose event is hidden. */
      readonly position: bigint | undefined;
    }
  | { readonly kind: 'wrong-version'; /** -1n if the stream does not exist. */ readonly actual: bigint }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'unanswered' };

type Verdict = { readonly kind: 'ok' } | WriteOutcome;

const OK: Verdict = { kind: 'ok' };
const DELETED: WriteOutcome = { kind: 'deleted' };
const NO_BYTES = new Uint8Array(0);

export const expectedNumber = (expected: ExpectedRevision): bigint => {
  switch (expected) {
    case 'no_stream':
      return -1n;
    case 'any':
      return -2n;
    case 'stream_exists':
      return -4n;
    default:
      return expected;
  }
};

const metadataEvent = (text: string): ProposedEvent => ({
  id: randomUUID(),
  type: '$metadata',
  contentType: JSON_CONTENT,
  data: Buffer.from(text),
  metadata: NO_BYTES,
});

/** The only writer of a log, for one run of a server. */
export class LogWriter {
  readonly #log: WireServerLog;
  readonly #view: StreamView;
  readonly #nowMs: () => number;
  readonly #recent = new RecentIds();

  constructor(log: WireServerLog, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#view = new StreamView(log, nowMs);
  }

  append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): WriteOutcome {
    const ids = events.map(({ id }) => id);
    const verdict = this.#check(stream, expected, ids);
    if (verdict.kind !== 'ok') return verdict;
    if (events.length === 0) {
      return { kind: 'written', revision: this.#log.lastRevision(stream), position: this.#log.writeNothing(stream) };
    }
    const wasSoftDeleted = this.#log.metadata(stream).isSoftDeleted;
    const original = isMetastream(stream) ? originalOf(stream) : undefined;
    const wasOriginalSoftDeleted = original !== undefined && this.#log.metadata(original).isSoftDeleted;
    const firstRevision = this.#log.lastRevision(stream) + 1n;
    const written = this.#write(stream, events);
    if (wasSoftDeleted) this.#undelete(stream, firstRevision);
    if (wasOriginalSoftDeleted) this.#undelete(original, this.#log.lastRevision(original) + 1n);
    const last = written.at(-1);
    return { kind: 'written', revision: this.#log.lastRevision(stream), position: last?.position };
  }

  /** Hides all present events; the stream may be written again. */
  softDelete(stream: string, expected: ExpectedRevision): WriteOutcome {
    const verdict = this.#check(stream, expected, [randomUUID()]);
    if (verdict.kind !== 'ok') return verdict;
    if (this.#log.lastRevision(stream) < 0n) return { kind: 'wrong-version', actual: -1n };
    const [record] = this.#write(metastreamOf(stream), [metadataEvent(SOFT_DELETED_TEXT)]);
    return { kind: 'written', revision: this.#log.lastRevision(stream), position: record?.position };
  }

  tombstone(stream: string, expected: ExpectedRevision): WriteOutcome {
    const verdict = this.#check(stream, expected, [randomUUID()]);
    if (verdict.kind !== 'ok') return verdict;
    const event: ProposedEvent = {
      id: randomUUID(),
      type: '$streamDeleted',
      contentType: BINARY_CONTENT,
      data: NO_BYTES,
      metadata: NO_BYTES,
    };
    const record = this.#log.writeTombstone(stream, event, this.#nowMs());
    return { kind: 'written', revision: record.revision, position: record.position };
  }

  #check(stream: string, expected: ExpectedRevision, ids: readonly string[]): Verdict {
    if (this.#log.isTombstoned(stream)) return DELETED;
    if (expected === 'any') return this.#checkByRecentIds(stream, ids);
    if (expected !== 'stream_exists') return this.#checkByPlace(stream, expectedNumber(expected), ids);
    if (this.#log.metadata(stream).isSoftDeleted) return DELETED;
    const exists = this.#log.lastRevision(stream) >= 0n || this.#log.lastRevision(metastreamOf(stream)) >= 0n;
    return exists ? this.#checkByRecentIds(stream, ids) : { kind: 'wrong-version', actual: -1n };
  }

  /** Without an exact revision, a retry is recognised only by remembered ids, and only its first and last ids are checked. */
  #checkByRecentIds(stream: string, ids: readonly string[]): Verdict {
    const places = ids.map((id) => this.#recent.find(id, stream));
    const [first] = places;
    if (first === undefined) return OK;
    if (places.includes(undefined)) return this.#wrongVersion(stream);
    const last = places.at(-1) ?? first;
    return last < first ? { kind: 'unanswered' } : this.#recognised(stream, last);
  }

  /** With an exact revision (or `no_stream`), a retry is recognised by the events stored from there on. */
  #checkByPlace(stream: string, expected: bigint, ids: readonly string[]): Verdict {
    const current = this.#log.lastRevision(stream);
    if (expected === current) return OK;
    if (expected > current) return this.#wrongVersion(stream);
    const events = this.#log.eventsOf(stream);
    const isStored = (index: number): boolean => events[Number(expected) + 1 + index]?.id === ids[index];
    if (ids.length > 0 && ids.every((_, index) => isStored(index))) return this.#recognised(stream, expected + BigInt(ids.length));
    const isRecreation = expected === -1n && this.#log.metadata(stream).isSoftDeleted && ids.length > 0 && !isStored(0);
    return isRecreation ? OK : this.#wrongVersion(stream);
  }

  #recognised(stream: string, revision: bigint): WriteOutcome {
    return { kind: 'written', revision, position: this.#view.event(stream, revision)?.position };
  }

  #wrongVersion(stream: string): WriteOutcome {
    return { kind: 'wrong-version', actual: this.#log.lastRevision(stream) };
  }

  #undelete(stream: string, firstRevision: bigint): void {
    const metastream = metastreamOf(stream);
    this.#write(metastream, [metadataEvent(undeletedText(this.#log.lastOf(metastream), firstRevision))]);
  }

  #write(stream: string, events: readonly ProposedEvent[]): readonly LogRecord[] {
    const written = this.#log.write(stream, events, this.#nowMs());
    for (const { id, revision } of written) this.#recent.remember(id, stream, revision);
    return written;
  }
}
