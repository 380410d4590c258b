import type { Clock, Ids, SerialNumber } from '@app/kernel';
import { hashOf } from '../core/chain';
import { eventCodec, type EventCodec } from '../core/codec/codec';
import type { Last } from '../core/envelope';
import { OutcomeUnknown, StoreUnavailable, type EventStore, type Revision, type StreamName } from '../core/port';
import { f } from '../core/codec/schema';

type BlockReserved = {
  readonly type: 'BlockReserved';
  readonly data: { readonly first: bigint; readonly count: number; readonly holder: string };
};

const SERIAL_CATEGORY = 'serial';
/** At least one competing instance gets its block in each round, so this many instances can reserve concurrently. */
const ROUNDS_MAX = 100;
/** Lower, because each unknown outcome costs the store's whole deadline. */
const LOST_ANSWERS_MAX = 2;

export const serialCodec: EventCodec<BlockReserved> = eventCodec<BlockReserved>(SERIAL_CATEGORY, {
  BlockReserved: {
    version: 1,
    meaning:
      'A process reserved `count` numbers from `first`: serial numbers of requests (`serial-blocks`), or order numbers of one kind before shuffling (such as `serial-orders.payment`). Unused numbers are lost.',
    schema: f.object({ first: f.bigint(), count: f.int(), holder: f.id() }),
  },
});

interface NumberSeries {
  /** The stream within the category of serial numbers: `blocks`, `orders.payment`. */
  readonly name: string;
  readonly actor: string;
  /** A restart wastes the rest of a block. */
  readonly blockSize: number;
  readonly size: number;
}

export interface NumberBlocksSettings {
  readonly series: NumberSeries;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bootId: string;
  /** Called for each reserved block: all numbers below `end` are reserved by some process. */
  readonly onReserved?: (end: number) => void;
}

interface Block {
  next: number;
  readonly end: number;
}
const NO_BLOCK: Block = { next: 0, end: 0 };

export const EXHAUSTED = 'exhausted';
export type IssuedNumber = number | typeof EXHAUSTED;

/**
 * Issues numbers from blocks that single appends reserve, so that they are unique over restarts and instances. The next block is reserved
 * once half of the current one is used.
 */
export class NumberBlocks {
  readonly #settings: NumberBlocksSettings;
  readonly #stream: StreamName;
  #block: Block = NO_BLOCK;
  #ahead: Block | undefined;
  #reserving: Promise<void> | undefined;
  #isExhausted = false;
  #last: Last = 'no_stream';
  #end = 0;

  constructor(settings: NumberBlocksSettings) {
    this.#settings = settings;
    this.#stream = `${SERIAL_CATEGORY}-${settings.series.name}` as StreamName;
  }

  async open(): Promise<void> {
    await this.#reserveAhead();
  }

  next(): IssuedNumber | Promise<IssuedNumber> {
    const block = this.#block;
    if (block.next >= block.end) {
      if (this.#ahead === undefined) return this.#isExhausted ? EXHAUSTED : this.#nextAfterReserving();
      this.#block = this.#ahead;
      this.#ahead = undefined;
      return this.next();
    }
    const number = block.next;
    block.next += 1;
    const isHalfUsed = block.end - block.next < this.#settings.series.blockSize / 2;
    // Safe to ignore: the caller that needs the next block reserves again and gets the error.
    if (isHalfUsed && this.#ahead === undefined && !this.#isExhausted) this.#reserveAhead().catch(() => undefined);
    return number;
  }

  async #nextAfterReserving(): Promise<IssuedNumber> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.#reserveAhead();
      if (this.#ahead !== undefined || this.#block.next < this.#block.end) return this.next();
      if (this.#isExhausted) return EXHAUSTED;
    }
    throw new StoreUnavailable(`${ROUNDS_MAX} blocks of ${this.#stream} were used while one request waited`);
  }

  #reserveAhead(): Promise<void> {
    if (this.#ahead !== undefined || this.#isExhausted) return Promise.resolve();
    this.#reserving ??= this.#reserve()
      .then((block) => {
        this.#ahead = block;
        this.#isExhausted = block === undefined;
      })
      .finally(() => {
        this.#reserving = undefined;
      });
    return this.#reserving;
  }

  async #reserve(): Promise<Block | undefined> {
    const { series, store, clock, ids, bootId, onReserved } = this.#settings;
    // Not derived from the boot id: two processes with the same boot id would take each other's append for a retry.
    const reservation = ids.next();
    let lostAnswers = 0;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const last = this.#last;
      const revision = last === 'no_stream' ? 0 : Number(last.revision) + 1;
      // Each block starts at the end of the previous revision's block, so that only one process can append it.
      const first = this.#end;
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
          this.#end = first + count;
          onReserved?.(this.#end);
          return { next: first, end: this.#end };
        }
        if (answer.actual !== 'no_stream') await this.#readFrom(answer.actual);
      } catch (error) {
        // The next round uses the same ids and revision, so that the store recognises a retry.
        if (!(error instanceof OutcomeUnknown) || lostAnswers++ === LOST_ANSWERS_MAX) throw error;
      }
    }
    throw new StoreUnavailable(`no block of ${this.#stream} in ${ROUNDS_MAX} rounds`);
  }

  async #readFrom(revision: Revision): Promise<void> {
    for await (const event of this.#settings.store.read(this.#stream, revision)) {
      const { first, count } = serialCodec.decode(event).data;
      this.#last = { revision: event.revision, hash: hashOf(event) };
      this.#end = Number(first) + count;
    }
  }
}

/** 2^32 blocks are enough for one restart a second over 136 years. */
export const SERIAL_BLOCK_SIZE = 65_536;
const BLOCKS_MAX = 2 ** 32;
const SERIAL_DIGITS = 12;
const SERIAL_PREFIX = '00000000-0000-0000-0000-';
const SERIES: NumberSeries = {
  name: 'blocks',
  actor: 'serial-numbers',
  blockSize: SERIAL_BLOCK_SIZE,
  size: BLOCKS_MAX * SERIAL_BLOCK_SIZE,
};

type SerialNumbersSettings = Omit<NumberBlocksSettings, 'series' | 'onReserved'>;

/** Issues a new number for every request, unique over restarts and instances (protocol decisions, section 3). */
export class SerialNumbers {
  readonly #numbers: NumberBlocks;

  private constructor(numbers: NumberBlocks) {
    this.#numbers = numbers;
  }

  static async open(settings: SerialNumbersSettings): Promise<SerialNumbers> {
    const numbers = new NumberBlocks({ ...settings, series: SERIES });
    await numbers.open();
    return new SerialNumbers(numbers);
  }

  /**
   * Waits only if a block must be reserved first.
   * @throws StoreUnavailable, OutcomeUnknown
   */
  next(): SerialNumber | Promise<SerialNumber> {
    const given = this.#numbers.next();
    return typeof given === 'object' ? given.then((number) => this.#written(number)) : this.#written(given);
  }

  #written(given: IssuedNumber): SerialNumber | Promise<SerialNumber> {
    if (given === EXHAUSTED) throw new Error('the serial numbers are exhausted');
    // Number 0 would be the nil UUID, which readers treat as absent.
    if (given === 0) return this.next();
    return (SERIAL_PREFIX + given.toString(16).padStart(SERIAL_DIGITS, '0')) as SerialNumber;
  }
}
