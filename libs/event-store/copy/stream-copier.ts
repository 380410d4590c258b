import { BoundedMap, type NonEmpty } from '@app/kernel';
import { metadataOf, previousHashOf, type Last } from '../core/envelope';
import {
  APPEND_DATA_BYTES_MAX,
  APPEND_EVENTS_MAX,
  type StoredEvent,
  type StreamName,
  EventRefused,
  type EventStore,
  type NewEvent,
  type Position,
  type Revision,
} from '../core/port';
import { assertChained, BrokenChain, hashOf } from '../core/chain';
import { BoundedTasks, type RetryPolicy } from './bounded-tasks';
import { isOfAnotherService } from './inspection';
import { logEvents, streamEvents, type EventLog, type Selection } from './log-events';
import { brokenFault, streamFault, StreamFaults, type StreamFault } from './stream-comparison';

interface ChainedEvent {
  readonly event: StoredEvent;
  readonly hash: string;
}

const correlationOf = (event: StoredEvent): string => {
  try {
    return String(metadataOf(event).correlation);
  } catch {
    return '';
  }
};

/** Adjacent events of one stream and correlation that fit into one append; usually those of one original append. */
class CopiedRun {
  readonly first: ChainedEvent;
  readonly stream: StreamName;
  readonly correlation: string;
  readonly events: ChainedEvent[] = [];
  #dataBytes = 0;

  constructor(first: ChainedEvent) {
    this.first = first;
    this.stream = first.event.stream;
    this.correlation = correlationOf(first.event);
    this.#push(first);
  }

  take(next: ChainedEvent): boolean {
    if (next.event.stream !== this.stream || this.events.length >= APPEND_EVENTS_MAX) return false;
    if (this.#dataBytes + Buffer.byteLength(next.event.data) > APPEND_DATA_BYTES_MAX) return false;
    if (correlationOf(next.event) !== this.correlation) return false;
    this.#push(next);
    return true;
  }

  #push(next: ChainedEvent): void {
    this.events.push(next);
    this.#dataBytes += Buffer.byteLength(next.event.data);
  }
}

/** Maximum of concurrent appends. It also limits how far the target's order can differ from the source's. */
const APPENDS_UNDER_WAY_MAX = 64;
const STREAMS_KNOWN_MAX = 200_000;
/** More conflicts of one append mean that another writer uses the stream. */
const CONFLICTS_MAX = 3;

export interface StreamCopierSettings {
  readonly source: EventLog;
  readonly target: EventStore;
  readonly selection: Selection;
  readonly upTo: Position;
  readonly knownCategories: ReadonlySet<string>;
  readonly isTargetEmpty: boolean;
  readonly retry: RetryPolicy;
  readonly isStopRequested: () => boolean;
  readonly onProgress: (events: number) => void;
  readonly streamsKnownMax?: number;
}

interface Ends {
  source: Last;
  target: Last | undefined;
}

/**
 * Writes the events missing in the target, in the source's order. Runs of one stream or correlation are written in order, so that no effect
 * precedes its cause; other runs are concurrent.
 */
export class StreamCopier {
  readonly #settings: StreamCopierSettings;
  readonly #tasks = new BoundedTasks(APPENDS_UNDER_WAY_MAX);
  readonly #ends: BoundedMap<StreamName, Ends>;
  readonly faults = new StreamFaults();
  /** Streams refused because of the target. A broken stream of the source is still written up to its break. */
  readonly #refused = new Set<StreamName>();
  #read = 0;
  #appended = 0;

  constructor(settings: StreamCopierSettings) {
    this.#settings = settings;
    this.#ends = new BoundedMap(settings.streamsKnownMax ?? STREAMS_KNOWN_MAX);
  }

  get appended(): number {
    return this.#appended;
  }

  /**
   * Returns false if stopped early.
   * @throws StoreUnavailable, OutcomeUnknown: the same command continues
   */
  async run(): Promise<boolean> {
    const { source, selection, upTo, retry, isStopRequested } = this.#settings;
    let run: CopiedRun | undefined;
    let isOver = false;
    try {
      for await (const item of logEvents(source, selection, upTo, retry)) {
        isOver = isStopRequested() || this.faults.isFull;
        if (isOver) break;
        if (item.kind === 'broken') {
          this.faults.add(brokenFault(item.break.event.stream, 'source-broken', item.break));
          continue;
        }
        const next = await this.#chained(item.event);
        if (next === undefined || run?.take(next) === true) continue;
        if (run !== undefined) await this.#place(run);
        run = new CopiedRun(next);
      }
      if (run !== undefined && !isOver) await this.#place(run);
    } finally {
      await this.#tasks.idle();
    }
    await this.#tasks.drained();
    return !isOver;
  }

  async #chained(event: StoredEvent): Promise<ChainedEvent | undefined> {
    const { stream } = event;
    if (isOfAnotherService(event, this.#settings.knownCategories) || this.faults.has(stream)) return undefined;
    this.#read += 1;
    try {
      const ends = this.#ends.get(stream) ?? (await this.#endsBefore(event));
      // An LRU cache, because a log has more streams than fit into memory.
      this.#ends.set(stream, ends);
      assertChained(event, ends.source);
      const hash = hashOf(event);
      ends.source = { revision: event.revision, hash };
      return { event, hash };
    } catch (error) {
      if (!(error instanceof BrokenChain)) throw error;
      this.faults.add(brokenFault(stream, 'source-broken', error));
      return undefined;
    }
  }

  async #endsBefore({ stream, revision }: StoredEvent): Promise<Ends> {
    const ends: Ends = { source: 'no_stream', target: undefined };
    if (revision === 0n) {
      if (this.#settings.isTargetEmpty) ends.target = 'no_stream';
    } else {
      const before = (revision - 1n) as Revision;
      for await (const event of streamEvents(this.#settings.source, stream, before, this.#settings.retry)) {
        if (event.revision === before) ends.source = { revision: before, hash: hashOf(event) };
        break;
      }
    }
    return ends;
  }

  async #place(run: CopiedRun): Promise<void> {
    const ends = this.#ends.get(run.stream) ?? { source: 'no_stream', target: undefined };
    await this.#tasks.add([`s${run.stream}`, `c${run.correlation}`], () => this.#write(run, ends));
    this.#settings.onProgress(this.#read);
  }

  async #write(run: CopiedRun, ends: Ends): Promise<void> {
    const { target, retry } = this.#settings;
    const { stream } = run;
    for (let conflicts = 0; conflicts < CONFLICTS_MAX; conflicts++) {
      if (this.#refused.has(stream)) return;
      ends.target ??= await this.#endOfTarget(run);
      const end = ends.target;
      if (end === undefined) return;
      const missing = this.#missing(run, end);
      const last = missing?.at(-1);
      if (missing === undefined || last === undefined) return;
      try {
        const events = missing.map(({ event: { id, type, data, metadata } }): NewEvent => ({ id, type, data, metadata }));
        const expected = end === 'no_stream' ? end : end.revision;
        const answer = await retry.run(() => target.append(stream, expected, events as unknown as NonEmpty<NewEvent>));
        if (answer.kind === 'appended') {
          ends.target = { revision: last.event.revision, hash: last.hash };
          this.#appended += missing.length;
          return;
        }
      } catch (error) {
        if (!(error instanceof EventRefused)) throw error;
        const { revision } = last.event;
        this.#refuse({ stream, revision, kind: 'target-refuses', text: `the target refuses it: ${error.message}` });
        return;
      }
      ends.target = undefined;
    }
    this.#refuse(streamFault(stream, 'target-differs', run.first.event.revision));
  }

  #missing({ stream, events }: CopiedRun, end: Last): readonly ChainedEvent[] | undefined {
    if (end === 'no_stream') return events;
    // Equal hashes mean equal histories, because each event includes the previous hash.
    const other = events.find(({ event, hash }) => event.revision === end.revision && hash !== end.hash);
    if (other === undefined) return events.filter(({ event }) => event.revision > end.revision);
    this.#refuse(streamFault(stream, 'target-differs', other.event.revision));
    return undefined;
  }

  async #endOfTarget({ stream, first }: CopiedRun): Promise<Last | undefined> {
    const { target, retry } = this.#settings;
    const { revision } = first.event;
    const from = (revision === 0n ? 0n : revision - 1n) as Revision;
    let end: Last = 'no_stream';
    try {
      for await (const event of streamEvents(target, stream, from, retry)) {
        if (revision === 0n || event.revision > from) assertChained(event, end);
        end = { revision: event.revision, hash: hashOf(event) };
        if (revision > 0n && event.revision === from && end.hash !== previousHashOf(first.event)) {
          this.#refuse(streamFault(stream, 'target-differs', from));
          return undefined;
        }
      }
    } catch (error) {
      if (!(error instanceof BrokenChain)) throw error;
      this.#refuse(brokenFault(stream, 'target-broken', error));
      return undefined;
    }
    if (revision === 0n || end !== 'no_stream') return end;
    this.#refuse(streamFault(stream, 'target-behind', from));
    return undefined;
  }

  #refuse(fault: StreamFault): void {
    this.faults.add(fault);
    this.#refused.add(fault.stream);
  }
}
