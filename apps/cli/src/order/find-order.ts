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
import type { Position, StreamName } from '@app/event-store';
import { ORDER_STATUS } from '@app/read-models';
import { streamsOfEachKind } from '@app/read-models/queries';
import type { EventLogReader } from '../service/event-log';
import type { OrderReaders } from './order-readers';
import { scanCategory } from './scan-category';

/** Whose id of an order a name is: ours, or the merchant's. */
export type NameKind = 'orderid' | 'client_orderid';

/**
 * Finds the streams of the orders that the text names, as orderid or as client_orderid of one of the merchants; several if a merchant used one
 * client_orderid for orders of two kinds, or if one order has as client_orderid what another has as orderid. An orderid names no stream by itself: the
 * read model has it, or the log. Without a merchant only the log is searched.
 * @param by only this kind of name; both kinds if it is absent
 * @param already found by other means; these are among the answer
 */
export const findOrder = async (
  { log, readModel }: Pick<OrderReaders, 'log' | 'readModel'>,
  text: string,
  merchants: readonly MerchantLogin[] | 'any',
  by?: NameKind,
  already: readonly StreamName[] = [],
): Promise<readonly StreamName[]> => {
  if (merchants === 'any') return scanForName(log, text, by);
  const found = new Set([...already, ...(by === 'orderid' ? [] : await byClientOrderId(log, text, merchants))]);
  if (by !== 'client_orderid' && isOrderId(text)) {
    const known = await knownByOrderId(readModel, text, merchants);
    // A name that is found already is searched only in the events that the read model lacks: the whole log may be long.
    const after = found.size === 0 ? undefined : await readModel?.checkpoint(ORDER_STATUS);
    const streams = known === undefined ? await scanFor(log, text, merchants, after ?? 'start') : [known];
    for (const stream of streams) found.add(stream);
  }
  return [...found];
};

const byClientOrderId = async (log: EventLogReader, text: string, merchants: readonly MerchantLogin[]): Promise<readonly StreamName[]> => {
  const named = merchants.flatMap((merchant) => streamsOfEachKind(merchant, text as ClientOrderId));
  const held = await Promise.all(named.map((stream) => holdsEvents(log, stream)));
  return named.filter((_stream, index) => held[index]);
};

const knownByOrderId = async (
  readModel: OrderReaders['readModel'],
  orderId: OrderId,
  merchants: readonly MerchantLogin[],
): Promise<StreamName | undefined> => {
  for (const merchant of merchants) {
    const record = await readModel?.orders.byOrderId(merchant, orderId);
    if (record !== undefined) return record.stream;
  }
  return undefined;
};

/** The kinds that an order of this id can have: a text shows it by its letter, a number only by the service's key. */
const kindsOf = (id: OrderId): readonly OrderKind[] => (isOrderNumber(id) ? Object.values(ORDER_KINDS) : [textOrderKind(id)]);

const scanFor = async (
  log: EventLogReader,
  orderId: OrderId,
  merchants: readonly MerchantLogin[],
  after: Position | 'start',
): Promise<readonly StreamName[]> => {
  for (const kind of kindsOf(orderId)) {
    const found = await scanCategory(log, kind, after, orderId, ({ type, data }) => {
      if (type !== 'OrderAccepted') return false;
      const accepted = data as { readonly orderId: OrderId; readonly merchant: MerchantLogin };
      return accepted.orderId === orderId && merchants.includes(accepted.merchant);
    });
    if (found.length > 0) return found.map(({ stream }) => stream);
  }
  return [];
};

const scanForName = async (log: EventLogReader, text: string, by: NameKind | undefined): Promise<readonly StreamName[]> => {
  const found: StreamName[] = [];
  for (const kind of by === 'orderid' && isOrderId(text) ? kindsOf(text) : Object.values(ORDER_KINDS)) {
    const accepted = await scanCategory(log, kind, 'start', text, ({ type, data }) => {
      const { orderId, clientOrderId } = data as { readonly orderId?: string; readonly clientOrderId?: string };
      if (type !== 'OrderAccepted') return false;
      return (by !== 'client_orderid' && orderId === text) || (by !== 'orderid' && clientOrderId === text);
    });
    found.push(...accepted.map(({ stream }) => stream));
  }
  return found;
};

export const holdsEvents = async (log: EventLogReader, stream: StreamName): Promise<boolean> => {
  for await (const _event of log.read(stream)) return true;
  return false;
};
