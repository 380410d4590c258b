import { BrokenChain, ChainWatch, StoreUnavailable, type Position, type StoredEvent } from '@app/event-store';
import { readBatch } from '../log-event';
import type { GenerationWriter } from './generation-writer';
import type { RebuildContext } from './rebuild-context';

/** Events that are decoded and folded together. */
const BATCH_EVENTS = 500;

/** Reads the log from its start to its head, and on from there at each call, into a writer of new generations. */
export class LogFold {
  readonly #context: RebuildContext;
  readonly #categories: ReadonlySet<string>;
  readonly #writer: GenerationWriter;
  readonly #chains: ChainWatch;
  #position: Position | 'start' = 'start';
  #events = 0;

  constructor(context: RebuildContext, categories: ReadonlySet<string>, writer: GenerationWriter) {
    this.#context = context;
    this.#categories = categories;
    this.#writer = writer;
    this.#chains = new ChainWatch(context.log);
  }

  /** Count of events read. */
  get events(): number {
    return this.#events;
  }

  /** The position up to which all is written. @throws Error before the first call */
  get reached(): Position {
    if (this.#position === 'start') throw new Error('nothing was read of the log yet');
    return this.#position;
  }

  /** Reads to the log's head and writes the gathered rows, on this thread or on a second one while it reads on. */
  async catchUp(writing: 'here' | 'beside'): Promise<void> {
    let reached = await this.#context.log.head();
    for (let isCaughtUp = false; !isCaughtUp;) {
      try {
        reached = await this.#readOn(reached, writing);
        isCaughtUp = true;
      } catch (error) {
        if (!(error instanceof BrokenChain)) throw error;
        // The event is damaged in the log, so its stream is parked there and reading continues after it.
        await this.#fold([error.event], new Map([[error.event, error]]));
        const { position } = error.event;
        this.#position = position;
        if (this.#context.log.comparePositions(position, reached) > 0) reached = position;
      }
    }
    await this.#writer.flush();
    this.#position = reached;
  }

  /** Reads to the end of the log. @throws BrokenChain at an unreadable event, with all events before it gathered */
  async #readOn(head: Position, writing: 'here' | 'beside'): Promise<Position> {
    const { log } = this.#context;
    let reached = head;
    let batch: StoredEvent[] = [];
    const gather = async (): Promise<void> => {
      const gathered = batch;
      batch = [];
      await this.#fold(gathered, await this.#chains.faultsIn(gathered));
    };
    const subscription = log.subscribe([...this.#categories], this.#position);
    try {
      for await (const item of subscription) {
        if (item.kind === 'caught-up') {
          await gather();
          return reached;
        }
        if (item.kind !== 'event') continue;
        batch.push(item.event);
        if (log.comparePositions(item.event.position, reached) > 0) reached = item.event.position;
        if (batch.length < BATCH_EVENTS) continue;
        await gather();
        this.#context.onProgress?.({ events: this.#events, position: item.event.position, head: reached });
        if (!this.#writer.isFull) continue;
        if (writing === 'beside') await this.#writer.flushBeside();
        else await this.#writer.flushHere();
      }
    } catch (error) {
      if (error instanceof BrokenChain) await gather();
      throw error;
    } finally {
      await subscription.cancel();
    }
    throw new StoreUnavailable('the subscription ended before it had caught up');
  }

  async #fold(stored: readonly StoredEvent[], faults: ReadonlyMap<StoredEvent, Error>): Promise<void> {
    this.#events += stored.length;
    await this.#writer.gather(readBatch(stored, this.#categories, this.#context.decode, faults));
  }
}
