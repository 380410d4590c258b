import { OrderNumbers, systemClock, systemIds, systemRandom, type BootId } from '@app/kernel';
import type { ServiceKeyStream } from '@app/card-vault';
import type { EventStore } from '@app/event-store';
import type { Configuration } from '@app/configuration';
import { ORDER_NUMBERS_ALARM, OrderIdSource, type OrderNumbersUsed } from '@app/order-processing';
import type { ServiceLog } from '@app/http-server';

const PERCENT = 100;

export interface OrderIdParts {
  readonly configuration: Pick<Configuration, 'orderIds'>;
  readonly store: EventStore;
  readonly keys: ServiceKeyStream;
  readonly bootId: BootId;
  readonly log: Pick<ServiceLog, 'warning'>;
  readonly metrics: { orderNumbersUsed(used: OrderNumbersUsed): void };
}

/** Where orders get their ids; it warns from the last fifth of a kind's numbers on, once a percent. */
export const orderIdSource = ({ configuration, store, keys, bootId, log, metrics }: OrderIdParts): OrderIdSource => {
  const warnedAt = new Map<string, number>();
  return new OrderIdSource({
    form: configuration.orderIds,
    numbers: new OrderNumbers((bytes) => keys.keyStream('order numbers', bytes)),
    store,
    clock: systemClock,
    ids: systemIds,
    random: systemRandom,
    bootId,
    onReserved: (reserved) => {
      metrics.orderNumbersUsed(reserved);
      const { kind, used, of } = reserved;
      const percent = Math.floor((used / of) * PERCENT);
      if (used < of * ORDER_NUMBERS_ALARM || warnedAt.get(kind) === percent) return;
      warnedAt.set(kind, percent);
      log.warning('order-numbers.running-out', { kind, used, of });
    },
  });
};
