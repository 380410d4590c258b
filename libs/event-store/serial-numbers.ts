import type { Clock, Ids, SerialNumber } from '@app/kernel';
import { hashOf } from './chain';
import { eventCodec, type EventCodec } from './codec';
import type { Last } from './envelope';
import { OutcomeUnknown, StoreUnavailable, type EventStore, type Revision, type StreamName } from './port';
import { f } from './schema';

export type BlockReserved = {
  readonly type: 'BlockReserved';
  readonly data: { readonly first: bigint; readonly count: number; readonly holder: string };
};

export const SERIAL_CATEGORY = 'serial';
const STREAM = `${SERIAL_CATEGORY}-blocks` as StreamName;
/** Numbers in a block; a restart wastes what is left of one (2^32 blocks are enough for one restart a second over 136 years). */
export const SERIAL_BLOCK_SIZE = 65_536;
const BLOCKS_MAX = 2 ** 32;
const SERIAL_DIGITS = 12;
const SERIAL_PREFIX = '00000000-0000-0000-0000-';
/** Instances that reserve at the same moment; each round one of them got its block. */
const ROUNDS_MAX = 100;
/** Of these, rounds whose answer was lost: each has cost the store's whole deadline. */
const LOST_ANSWERS_MAX = 2;

export const serialCodec: EventCodec<BlockReserved> = eventCodec<BlockReserved>(SERIAL_CATEGORY, {
  BlockReserved: {
    version: 1,
    meaning: 'serial numbers from `first` on, `count` of them, belong to one process; what it does not use is never used',
    schema: f.object({ first: f.bigint(), count: f.int(), holder: f.id() }),
  },
});

export interface SerialNumbersSettings {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Names the block's holder, for people. */
  readonly bootId: string;
}

interface Block {
  /** The next number to give. */
  next: number;
  readonly end: number;
}

/**
 * A new number for every request, unique over restarts and instances (protocol decisions, section 3): taken from a block that one append
 * reserved, the next one being reserved when half of it is used.
 */
export class SerialNumbers {
  readonly #store: EventStore;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #bootId: string;
  #block: Block;
  #ahead: Block | undefined;
  #reserving: Promise<void> | undefined;
  #last: Last = 'no_stream';

  private constructor({ store, clock, ids, bootId }: SerialNumbersSettings) {
    this.#store = store;
    this.#clock = clock;
    this.#ids = ids;
    this.#bootId = bootId;
    this.#block = { next: 0, end: 0 };
  }

  /** @throws StoreUnavailable, OutcomeUnknown where the first block cannot be reserved */
  static async open(settings: SerialNumbersSettings): Promise<SerialNumbers> {
    const serials = new SerialNumbers(settings);
    serials.#block = await serials.#reserve();
    return serials;
  }

  /** At once, but where the block ran out before the next was there. @throws StoreUnavailable, OutcomeUnknown then, where none can be reserved */
  next(): SerialNumber | Promise<SerialNumber> {
    const block = this.#block;
    if (block.next >= block.end) {
      if (this.#ahead === undefined) return this.#nextAfterReserving();
      this.#block = this.#ahead;
      this.#ahead = undefined;
      return this.next();
    }
    const number = block.next;
    block.next += 1;
    // A failure here is no loss yet: who runs out asks again, and is told.
    if (block.end - block.next < SERIAL_BLOCK_SIZE / 2) this.#reserveAhead().catch(() => undefined);
    return (SERIAL_PREFIX + number.toString(16).padStart(SERIAL_DIGITS, '0')) as SerialNumber;
  }

  async #nextAfterReserving(): Promise<SerialNumber> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.#reserveAhead();
      if (this.#ahead !== undefined || this.#block.next < this.#block.end) return this.next();
    }
    throw new StoreUnavailable(`${ROUNDS_MAX} blocks of serial numbers were used while one request waited`);
  }

  #reserveAhead(): Promise<void> {
    if (this.#ahead !== undefined) return Promise.resolve();
    this.#reserving ??= this.#reserve()
      .then((block) => {
        this.#ahead = block;
      })
      .finally(() => {
        this.#reserving = undefined;
      });
    return this.#reserving;
  }

  async #reserve(): Promise<Block> {
    // Never made of the boot id: two that share one would each take the other's append for a repeat of its own.
    const reservation = this.#ids.next();
    let lostAnswers = 0;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const last = this.#last;
      const revision = last === 'no_stream' ? 0 : Number(last.revision) + 1;
      if (revision >= BLOCKS_MAX) throw new Error('the serial numbers are used up');
      // The block is the revision: whoever appends it has it, and nobody can have it twice.
      const first = revision * SERIAL_BLOCK_SIZE;
      const encoded = serialCodec.encode(
        [{ type: 'BlockReserved', data: { first: BigInt(first), count: SERIAL_BLOCK_SIZE, holder: this.#bootId } }],
        STREAM,
        last,
        {
          correlation: this.#bootId,
          causation: this.#bootId,
          actor: 'serial-numbers',
          merchant: '',
          commandId: `${reservation}.${revision}`,
          recordedAt: this.#clock.now(),
        },
      );
      try {
        const answer = await this.#store.append(STREAM, last === 'no_stream' ? 'no_stream' : last.revision, encoded);
        if (answer.kind === 'appended') {
          this.#last = { revision: answer.revision, hash: hashOf(encoded[0]) };
          // Number 0 would be the nil UUID, which readers take for no number at all.
          return { next: Math.max(first, 1), end: first + SERIAL_BLOCK_SIZE };
        }
        this.#last = answer.actual === 'no_stream' ? 'no_stream' : await this.#lastAt(answer.actual);
      } catch (error) {
        // Stored or not, the ids and the revision are the same in the next round: the store tells a repeat from a rival.
        if (!(error instanceof OutcomeUnknown) || lostAnswers++ === LOST_ANSWERS_MAX) throw error;
      }
    }
    throw new StoreUnavailable(`no block of serial numbers in ${ROUNDS_MAX} rounds`);
  }

  async #lastAt(revision: Revision): Promise<Last> {
    let last: Last = 'no_stream';
    for await (const event of this.#store.read(STREAM, revision)) last = { revision: event.revision, hash: hashOf(event) };
    return last;
  }
}
