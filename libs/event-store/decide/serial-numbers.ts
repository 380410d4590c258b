import type { SerialNumber } from '@app/kernel';
import { NumberBlocks, EXHAUSTED, type IssuedNumber, type NumberBlocksSettings, type NumberSeries } from './number-blocks';

/** Numbers in a block; 2^32 blocks are enough for one restart a second over 136 years. */
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

export type SerialNumbersSettings = Omit<NumberBlocksSettings, 'series' | 'onReserved'>;

/** Issues a new number for every request, unique over restarts and instances (protocol decisions, section 3). */
export class SerialNumbers {
  readonly #numbers: NumberBlocks;

  private constructor(numbers: NumberBlocks) {
    this.#numbers = numbers;
  }

  /** @throws StoreUnavailable, OutcomeUnknown where the first block cannot be reserved */
  static async open(settings: SerialNumbersSettings): Promise<SerialNumbers> {
    const numbers = new NumberBlocks({ ...settings, series: SERIES });
    await numbers.open();
    return new SerialNumbers(numbers);
  }

  /** Returns a number without waiting unless a block must be reserved first. @throws StoreUnavailable, OutcomeUnknown where that fails */
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
