import { ORDER_NUMBERS_ALARM, type OrderNumbersUsed } from '@app/orders';
import type { ServiceLog } from '@app/http/server';

const PERCENT = 100;

/** Warns once per percent in the last fifth of the order numbers of a kind. */
export class OrderNumbersAlarm {
  readonly #log: Pick<ServiceLog, 'warning'>;
  readonly #warnedAt = new Map<string, number>();

  constructor(log: Pick<ServiceLog, 'warning'>) {
    this.#log = log;
  }

  reserved({ kind, used, of }: OrderNumbersUsed): void {
    const percent = Math.floor((used / of) * PERCENT);
    if (used < of * ORDER_NUMBERS_ALARM || this.#warnedAt.get(kind) === percent) return;
    this.#warnedAt.set(kind, percent);
    this.#log.warning('order-numbers.running-out', { kind, used, of });
  }
}
