import {
  isOrderNumber,
  makeOrderId,
  ORDER_KINDS,
  orderKindLetter,
  orderNumbersOf,
  textOrderKind,
  type OrderId,
  type OrderIds,
  type OrderKind,
  type OrderNumbers,
  type Random,
} from '@app/kernel';
import { NumberBlocks, EXHAUSTED, type IssuedNumber, type NumberBlocksSettings } from '@app/event-store';

/** Small, because a restart wastes the rest of a block. */
export const ORDER_BLOCK_SIZE = 1_024;
/** Merchants then have years to widen their columns. */
export const ORDER_NUMBERS_ALARM = 0.8;

export interface OrderNumbersUsed {
  readonly kind: OrderKind;
  readonly used: number;
  readonly of: number;
}

export interface OrderIdSourceSettings extends Omit<NumberBlocksSettings, 'series' | 'onReserved'> {
  readonly form: 'numeric' | 'text';
  readonly numbers: OrderNumbers;
  readonly random: Random;
  readonly onReserved: (used: OrderNumbersUsed) => void;
}

/**
 * Assigns a number of ten digits, or text; text also if a kind's numbers are used up (protocol decisions, section 5). Ids of either form stay
 * readable.
 */
export class OrderIdSource implements OrderIds {
  readonly #settings: OrderIdSourceSettings;
  readonly #blocks: ReadonlyMap<OrderKind, NumberBlocks>;

  constructor(settings: OrderIdSourceSettings) {
    this.#settings = settings;
    const { onReserved } = settings;
    this.#blocks = new Map(
      Object.values(ORDER_KINDS).map((kind) => {
        const size = orderNumbersOf(kind);
        const series = { name: `orders.${kind}`, actor: 'order-numbers', blockSize: ORDER_BLOCK_SIZE, size };
        return [kind, new NumberBlocks({ ...settings, series, onReserved: (used) => onReserved({ kind, used, of: size }) })];
      }),
    );
  }

  next(kind: OrderKind): OrderId | Promise<OrderId> {
    if (this.#settings.form === 'text') return this.#text(kind);
    const given = this.#blocks.get(kind)?.next() ?? EXHAUSTED;
    return typeof given === 'object' ? given.then((place) => this.#written(kind, place)) : this.#written(kind, given);
  }

  kindOf(id: OrderId): OrderKind {
    return isOrderNumber(id) ? this.#settings.numbers.kindOf(id) : textOrderKind(id);
  }

  #written(kind: OrderKind, place: IssuedNumber): OrderId {
    return place === EXHAUSTED ? this.#text(kind) : this.#settings.numbers.numberAt(kind, place);
  }

  #text(kind: OrderKind): OrderId {
    return makeOrderId(orderKindLetter(kind), (size) => this.#settings.random.bytes(size));
  }
}
