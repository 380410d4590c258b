import type { Clock, Ids } from '@app/kernel';
import { hashOf } from '../chain/chain';
import { eventCodec, type EventCodec } from '../core/codec/codec';
import type { Last } from '../core/envelope';
import { OutcomeUnknown, StoreUnavailable, type EventStore, type Revision, type StreamName } from '../core/port';
import { f } from '../core/codec/schema';

export type BlockReserved = {
  readonly type: 'BlockReserved';
  readonly data: { readonly first: bigint; readonly count: number; readonly holder: string };
};

export const SERIAL_CATEGORY = 'serial';
/** Instances that reserve at the same moment; each round one of them got its block. */
const ROUNDS_MAX = 100;
/** Of these, rounds whose answer was lost: each has cost the store's whole deadline. */
const LOST_ANSWERS_MAX = 2;

export const serialCodec: EventCodec<BlockReserved> = eventCodec<BlockReserved>(SERIAL_CATEGORY, {
  BlockReserved: {
    version: 1,
    meaning:
      'numbers of requests (`serial-blocks`) or of orders of one kind (`serial-orders.payment` and so on, before they are shuffled) from `first` on, `count` of them, belong to one process; what it does not use is never used',
    schema: f.object({ first: f.bigint(), count: f.int(), holder: f.id() }),
  },
});

/** Numbers that are given once, over restarts and instances. */
export interface NumberSeries {
  /** Within the category of serial numbers: `blocks`, `orders.payment`. */
  readonly name: string;
  /** Who appends, for people. */
  readonly actor: string;
  /** Numbers in a block; a restart wastes what is left of one. */
  readonly blockSize: number;
  /** How many numbers there are, from 0: none is given beyond. */
  readonly size: number;
}

export interface NumberBlocksSettings {
  readonly series: NumberSeries;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Names the block's holder, for people. */
  readonly bootId: string;
  /** Told of each block of this process: numbers below `end` are taken by somebody. */
  readonly onReserved?: (end: number) => void;
}

interface Block {
  /** The next number to give. */
  next: number;
  readonly end: number;
}
const NO_BLOCK: Block = { next: 0, end: 0 };

export const USED_UP = 'used-up';
export type Given = number | typeof USED_UP;

/**
 * Numbers out of blocks, each of which one append reserved: unique over restarts and instances, and given without an await but where a block ran out
 * before the next was there. The next block is reserved when half of one is used.
 */
export class NumberBlocks {
  readonly #settings: NumberBlocksSettings;
  readonly #stream: StreamName;
  #block: Block = NO_BLOCK;
  #ahead: Block | undefined;
  #reserving: Promise<void> | undefined;
  #isUsedUp = false;
  #last: Last = 'no_stream';

  constructor(settings: NumberBlocksSettings) {
    this.#settings = settings;
    this.#stream = `${SERIAL_CATEGORY}-${settings.series.name}` as StreamName;
  }

  /** Reserves the first block. @throws StoreUnavailable, OutcomeUnknown where it cannot be */
  async open(): Promise<void> {
    await this.#reserveAhead();
  }

  /** At once, but where no block is at hand. @throws StoreUnavailable, OutcomeUnknown then, where none can be reserved */
  next(): Given | Promise<Given> {
    const block = this.#block;
    if (block.next >= block.end) {
      if (this.#ahead === undefined) return this.#isUsedUp ? USED_UP : this.#nextAfterReserving();
      this.#block = this.#ahead;
      this.#ahead = undefined;
      return this.next();
    }
    const number = block.next;
    block.next += 1;
    const isHalfUsed = block.end - block.next < this.#settings.series.blockSize / 2;
    // A failure here is no loss yet: who runs out asks again, and is told.
    if (isHalfUsed && this.#ahead === undefined && !this.#isUsedUp) this.#reserveAhead().catch(() => undefined);
    return number;
  }

  async #nextAfterReserving(): Promise<Given> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.#reserveAhead();
      if (this.#ahead !== undefined || this.#block.next < this.#block.end) return this.next();
      if (this.#isUsedUp) return USED_UP;
    }
    throw new StoreUnavailable(`${ROUNDS_MAX} blocks of ${this.#stream} were used while one request waited`);
  }

  #reserveAhead(): Promise<void> {
    if (this.#ahead !== undefined || this.#isUsedUp) return Promise.resolve();
    this.#reserving ??= this.#reserve()
      .then((block) => {
        this.#ahead = block;
        this.#isUsedUp = block === undefined;
      })
      .finally(() => {
        this.#reserving = undefined;
      });
    return this.#reserving;
  }

  /** Undefined where every block was reserved by somebody. */
  async #reserve(): Promise<Block | undefined> {
    const { series, store, clock, ids, bootId, onReserved } = this.#settings;
    // Never made of the boot id: two that share one would each take the other's append for a repeat of its own.
    const reservation = ids.next();
    let lostAnswers = 0;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const last = this.#last;
      const revision = last === 'no_stream' ? 0 : Number(last.revision) + 1;
      // The block is the revision: whoever appends it has it, and nobody can have it twice.
      const first = revision * series.blockSize;
      if (first >= series.size) return undefined;
      const count = Math.min(series.blockSize, series.size - first);
      const encoded = serialCodec.encode(
        [{ type: 'BlockReserved', data: { first: BigInt(first), count, holder: bootId } }],
        this.#stream,
        last,
        {
          correlation: bootId,
          causation: bootId,
          actor: series.actor,
          merchant: '',
          commandId: `${reservation}.${revision}`,
          recordedAt: clock.now(),
        },
      );
      try {
        const answer = await store.append(this.#stream, last === 'no_stream' ? 'no_stream' : last.revision, encoded);
        if (answer.kind === 'appended') {
          this.#last = { revision: answer.revision, hash: hashOf(encoded[0]) };
          onReserved?.(first + count);
          return { next: first, end: first + count };
        }
        this.#last = answer.actual === 'no_stream' ? 'no_stream' : await this.#lastAt(answer.actual);
      } catch (error) {
        // Stored or not, the ids and the revision are the same in the next round: the store tells a repeat from a rival.
        if (!(error instanceof OutcomeUnknown) || lostAnswers++ === LOST_ANSWERS_MAX) throw error;
      }
    }
    throw new StoreUnavailable(`no block of ${this.#stream} in ${ROUNDS_MAX} rounds`);
  }

  async #lastAt(revision: Revision): Promise<Last> {
    let last: Last = 'no_stream';
    for await (const event of this.#settings.store.read(this.#stream, revision)) last = { revision: event.revision, hash: hashOf(event) };
    return last;
  }
}
