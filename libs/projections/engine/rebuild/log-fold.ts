import { BrokenChain, ChainWatch, StoreUnavailable, type Position, type StoredEvent } from '@app/event-store';
import type { Db } from '../database/tables';
import { readBatch } from '../log-event';
import type { GenerationWriter } from './generation-writer';
import type { RebuildContext } from './rebuild-context';

/** Events that are decoded and folded together. */
const BATCH_EVENTS = 500;

/** Where a fold has come is stored with its rows, so that it can go on from there. */
export interface Saving {
  readonly everyEvents: number;
  readonly save: (db: Db, reached: Position) => Promise<void>;
}

/** Reads the log from its start to its head, and on from there at each call, into a writer of new generations. */
export class LogFold {
  readonly #context: RebuildContext;
  readonly #categories: ReadonlySet<string>;
  readonly #writer: GenerationWriter;
  readonly #chains: ChainWatch;
  readonly #saving: Saving | undefined;
  readonly #from: Position | undefined;
  #position: Position | 'start';
  #events = 0;
  #unsaved = 0;

  /** @param saving absent where an interrupted fold begins again. @param from where an earlier one had come */
  constructor(
    context: RebuildContext,
    categories: ReadonlySet<string>,
    writer: GenerationWriter,
    saving?: Saving,
    from: Position | 'start' = 'start',
  ) {
    this.#context = context;
    this.#categories = categories;
    this.#writer = writer;
    this.#chains = new ChainWatch(context.log);
    this.#saving = saving;
    this.#position = from;
    this.#from = from === 'start' ? undefined : from;
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
    await this.#flushAt(reached);
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
        this.#context.onProgress?.({
          events: this.#events,
          position: item.event.position,
          head: reached,
          ...(this.#from !== undefined && { from: this.#from }),
        });
        if (this.#saving !== undefined && this.#unsaved >= this.#saving.everyEvents)
          await this.#save(this.#saving, item.event.position, writing);
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

  async #save({ save }: Saving, reached: Position, writing: 'here' | 'beside'): Promise<void> {
    if (writing === 'here') return this.#flushAt(reached);
    await this.#writer.saveBeside((db) => save(db, reached));
    this.#unsaved = 0;
  }

  /** All before this position is gathered or written. */
  async #flushAt(reached: Position): Promise<void> {
    const saving = this.#saving;
    await this.#writer.flush(saving && ((db) => saving.save(db, reached)));
    this.#unsaved = 0;
  }

  async #fold(stored: readonly StoredEvent[], faults: ReadonlyMap<StoredEvent, Error>): Promise<void> {
    this.#events += stored.length;
    this.#unsaved += stored.length;
    await this.#writer.gather(readBatch(stored, this.#categories, this.#context.decode, faults));
  }
}
