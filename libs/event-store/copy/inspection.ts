import type { Scheduler } from '@app/kernel';
import { BrokenChain } from '../core/chain';
import { previousHashOf } from '../core/envelope';
import type { Position, Revision, StoredEvent, StreamName } from '../core/port';
import { categoryOf } from '../core/names-and-ids';
import { BoundedTasks, RetryPolicy } from './bounded-tasks';
import { logEvents, streamEvents, type EventLog, type Selection } from './log-events';
import { compareStream, brokenFault, streamFault, StreamFaults, type StreamFault } from './stream-comparison';

export interface CopyParties {
  readonly source: EventLog;
  readonly target: EventLog;
  readonly selection: Selection;
  /** Categories of this release. Streams of other categories are copied only if their metadata contain this service's chain. */
  readonly knownCategories: ReadonlySet<string>;
  readonly scheduler: Scheduler;
  /** Checked between two appends. A running append is finished. */
  readonly isStopRequested?: () => boolean;
}

interface CategoryCount {
  readonly streams: number;
  readonly events: number;
}

/** Another service's streams in the same server: an unknown category, and no chain in the metadata. */
interface LeftOut extends CategoryCount {
  readonly examples: readonly StreamName[];
}

export interface Inspection {
  readonly isComplete: boolean;
  readonly categories: ReadonlyMap<string, CategoryCount>;
  readonly streams: number;
  readonly events: number;
  readonly held: number;
  readonly leftOut: LeftOut;
  readonly faults: readonly StreamFault[];
}

const COMPARISONS_MAX = 32;
const LEFT_OUT_NAMED_MAX = 10;

/** Decides from one event only, because a log has more streams than fit into memory. */
export const isOfAnotherService = (event: StoredEvent, knownCategories: ReadonlySet<string>): boolean =>
  !knownCategories.has(categoryOf(event.stream)) && previousHashOf(event) === undefined;

export const holdsEvents = async ({ target, scheduler, knownCategories, isStopRequested = () => false }: CopyParties): Promise<boolean> => {
  const retry = new RetryPolicy(scheduler, isStopRequested);
  const upTo = await retry.run(() => target.head());
  for await (const item of logEvents(target, 'all', upTo, retry)) {
    if (item.kind === 'broken' || !isOfAnotherService(item.event, knownCategories)) return true;
  }
  return false;
};

export interface InspectionSettings {
  readonly parties: CopyParties;
  readonly upTo: Position;
  /** 'nothing': the target is empty. 'prefix': later events may be missing. 'equal': no event may be missing. */
  readonly expected: 'nothing' | 'prefix' | 'equal';
  readonly onProgress: (events: number) => void;
}

export const inspectLogs = (settings: InspectionSettings): Promise<Inspection> => new LogInspection(settings).run();

class LogInspection {
  readonly #settings: InspectionSettings;
  readonly #retry: RetryPolicy;
  readonly #isStopRequested: () => boolean;
  readonly #tasks = new BoundedTasks(COMPARISONS_MAX);
  readonly #faults = new StreamFaults();
  readonly #categories = new Map<string, { streams: number; events: number }>();
  readonly #leftOut = { streams: 0, events: 0, examples: [] as StreamName[] };
  #events = 0;
  #compared = 0;
  #streams = 0;
  #held = 0;
  #heldStreams = 0;

  constructor(settings: InspectionSettings) {
    const { scheduler, isStopRequested = () => false } = settings.parties;
    this.#settings = settings;
    this.#isStopRequested = isStopRequested;
    this.#retry = new RetryPolicy(scheduler, isStopRequested);
  }

  async run(): Promise<Inspection> {
    const { parties, expected } = this.#settings;
    const isComplete = (await this.#readSource()) && (expected === 'nothing' || parties.selection !== 'all' || (await this.#readTarget()));
    return {
      isComplete,
      categories: this.#categories,
      streams: this.#streams,
      events: this.#events,
      held: this.#held,
      leftOut: this.#leftOut,
      faults: this.#faults.all,
    };
  }

  get #isOver(): boolean {
    return this.#isStopRequested() || this.#faults.isFull;
  }

  async #readSource(): Promise<boolean> {
    const { parties, upTo, expected, onProgress } = this.#settings;
    try {
      for await (const item of logEvents(parties.source, parties.selection, upTo, this.#retry)) {
        if (this.#isOver) break;
        if (item.kind === 'broken') {
          this.#faults.add(brokenFault(item.break.event.stream, 'source-broken', item.break));
          continue;
        }
        const { stream, revision } = item.event;
        if (!this.#count(item.event)) continue;
        onProgress(this.#events);
        if (revision === 0n && expected !== 'nothing') await this.#tasks.add([], () => this.#compare(stream));
      }
    } finally {
      await this.#tasks.idle();
    }
    await this.#tasks.drained();
    if (this.#isOver) return false;
    // Streams are found by their first event, so a stream that lost it was not compared.
    if (expected === 'equal' && this.#compared < this.#events && this.#faults.all.length === 0) await this.#findHeadless();
    return !this.#isOver;
  }

  #count(event: StoredEvent): boolean {
    const isFirst = event.revision === 0n;
    if (isOfAnotherService(event, this.#settings.parties.knownCategories)) {
      this.#leftOut.events += 1;
      if (isFirst) this.#leftOut.streams += 1;
      if (isFirst && this.#leftOut.examples.length < LEFT_OUT_NAMED_MAX) this.#leftOut.examples.push(event.stream);
      return false;
    }
    const category = categoryOf(event.stream);
    let count = this.#categories.get(category);
    if (count === undefined) this.#categories.set(category, (count = { streams: 0, events: 0 }));
    count.events += 1;
    this.#events += 1;
    if (isFirst) count.streams += 1;
    if (isFirst) this.#streams += 1;
    return true;
  }

  async #compare(stream: StreamName): Promise<void> {
    const { parties, upTo, expected } = this.#settings;
    const { source, target } = parties;
    const { events, held, isHeld, fault } = await compareStream({ source, target, upTo, retry: this.#retry }, stream);
    this.#compared += events;
    this.#held += held;
    if (isHeld) this.#heldStreams += 1;
    if (fault !== undefined) this.#faults.add(fault);
    else if (expected === 'equal' && held < events) this.#faults.add(streamFault(stream, 'target-behind', BigInt(held) as Revision));
  }

  async #findHeadless(): Promise<void> {
    const { parties, upTo } = this.#settings;
    for await (const item of logEvents(parties.source, parties.selection, upTo, this.#retry)) {
      if (this.#isOver) return;
      if (item.kind === 'broken' || item.event.revision === 0n || isOfAnotherService(item.event, parties.knownCategories)) continue;
      const { stream } = item.event;
      if (!this.#faults.has(stream) && (await beginningOf(parties.source, stream, this.#retry)) === 'broken') await this.#compare(stream);
    }
  }

  async #readTarget(): Promise<boolean> {
    let streams = 0;
    for await (const stream of this.#targetStreams()) {
      if (this.#isOver) return false;
      if (stream !== undefined) streams += 1;
    }
    if (streams <= this.#heldStreams) return true;
    const { source } = this.#settings.parties;
    for await (const stream of this.#targetStreams()) {
      if (this.#isOver) break;
      if (stream === undefined) continue;
      await this.#tasks.add([], async () => {
        if ((await beginningOf(source, stream, this.#retry)) === 'missing') {
          this.#faults.add(streamFault(stream, 'target-alone', 0n as Revision));
        }
      });
    }
    await this.#tasks.drained();
    return !this.#isOver;
  }

  /** Yields undefined for every event that starts no stream, so that the caller can stop early. */
  async *#targetStreams(): AsyncGenerator<StreamName | undefined, undefined> {
    const { target, knownCategories } = this.#settings.parties;
    const upTo = await this.#retry.run(() => target.head());
    for await (const item of logEvents(target, 'all', upTo, this.#retry)) {
      if (item.kind === 'broken') this.#faults.add(brokenFault(item.break.event.stream, 'target-broken', item.break));
      else yield item.event.revision === 0n && !isOfAnotherService(item.event, knownCategories) ? item.event.stream : undefined;
    }
    return undefined;
  }
}

const beginningOf = async (log: EventLog, stream: StreamName, retry: RetryPolicy): Promise<'there' | 'missing' | 'broken'> => {
  try {
    for await (const { revision } of streamEvents(log, stream, 0n as Revision, retry)) return revision === 0n ? 'there' : 'broken';
    return 'missing';
  } catch (error) {
    if (error instanceof BrokenChain) return 'broken';
    throw error;
  }
};
