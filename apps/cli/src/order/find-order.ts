import {
  isOrderId,
  isOrderNumber,
  ORDER_KINDS,
  textOrderKind,
  type ClientOrderId,
  type MerchantLogin,
  type OrderId,
  type OrderKind,
} from '@app/kernel';
import type { StreamName } from '@app/event-store';

import { streamsOfEachKind } from '@app/order-queries';
import type { EventLogReader } from '../service/event-log';
import type { OrderReaders } from './order-readers';
import { scanCategory } from './scan-category';

/**
 * Finds the streams of the orders that the text names, as orderid or as client_orderid of one of the merchants; several where a merchant gave one
 * client_orderid to orders of two kinds. An orderid alone names no stream: the read model has it, or else the log, which is searched last, since an
 * order number may look like a client_orderid. Without a merchant the log is searched for either.
 */
export const findOrder = async (
  { log, readModel }: Pick<OrderReaders, 'log' | 'readModel'>,
  text: string,
  merchants: readonly MerchantLogin[] | 'any',
): Promise<readonly StreamName[]> => {
  if (merchants === 'any') return scanForName(log, text);
  if (isOrderId(text)) {
    for (const merchant of merchants) {
      const record = await readModel?.orders.byOrderId(merchant, text);
      if (record !== undefined) return [record.stream];
    }
  }
  const named = merchants.flatMap((merchant) => streamsOfEachKind(merchant, text as ClientOrderId));
  const held = await Promise.all(named.map((stream) => holdsEvents(log, stream)));
  const ofThisName = named.filter((_stream, index) => held[index]);
  return ofThisName.length === 0 && isOrderId(text) ? scanFor(log, text, merchants) : ofThisName;
};

/** The kinds that an order of this id can have: a text shows it by its letter, a number only by the service's key. */
const kindsOf = (id: OrderId): readonly OrderKind[] => (isOrderNumber(id) ? Object.values(ORDER_KINDS) : [textOrderKind(id)]);

const scanFor = async (log: EventLogReader, orderId: OrderId, merchants: readonly MerchantLogin[]): Promise<readonly StreamName[]> => {
  for (const kind of kindsOf(orderId)) {
    const found = await scanCategory(log, kind, 'start', orderId, ({ type, data }) => {
      if (type !== 'OrderAccepted') return false;
      const accepted = data as { readonly orderId: OrderId; readonly merchant: MerchantLogin };
      return accepted.orderId === orderId && merchants.includes(accepted.merchant);
    });
    if (found.length > 0) return found.map(({ stream }) => stream);
  }
  return [];
};

const scanForName = async (log: EventLogReader, text: string): Promise<readonly StreamName[]> => {
  const found: StreamName[] = [];
  for (const kind of isOrderId(text) ? kindsOf(text) : Object.values(ORDER_KINDS)) {
    const accepted = await scanCategory(log, kind, 'start', text, ({ type, data }) => {
      const { orderId, clientOrderId } = data as { readonly orderId?: string; readonly clientOrderId?: string };
      return type === 'OrderAccepted' && (orderId === text || clientOrderId === text);
    });
    found.push(...accepted.map(({ stream }) => stream));
  }
  return found;
};

export const holdsEvents = async (log: Pick<EventLogReader, 'read'>, stream: StreamName): Promise<boolean> => {
  for await (const _event of log.read(stream)) return true;
  return false;
};
