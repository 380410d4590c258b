import { type AnyEvent, type Position, type StoredEvent, readChained, type StreamName } from '@app/event-store';
import { decodeAny, streamsOfEachKind } from '@app/read-models/queries';
import { foldOrderStatus, logEventOf, type OrderEvent, type OrderStatusView, ORDER_STATUS } from '@app/read-models';
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
import type { EventLogReader, OrderReaders } from '../stores';
import { CommandFailed } from '../terminal';
import type { NameKind } from '@app/investigation';

/** Events of a category that contain the text and match the condition, from a position to the end of the log. Unreadable events are skipped. */
export const scanCategory = async (
  log: EventLogReader,
  category: string,
  after: Position | 'start',
  text: string,
  matches: (event: AnyEvent) => boolean,
): Promise<readonly StoredEvent[]> => {
  const found: StoredEvent[] = [];
  const subscription = log.subscribe([category], after);
  try {
    for await (const item of subscription) {
      if (item.kind === 'caught-up') break;
      // Decoding costs more than a text search, and few events match.
      if (item.kind !== 'event' || !item.event.data.includes(text)) continue;
      const event = readable(item.event);
      if (event !== undefined && matches(event)) found.push(item.event);
    }
  } finally {
    await subscription.cancel();
  }
  return found;
};

const readable = (stored: StoredEvent): AnyEvent | undefined => {
  try {
    return decodeAny(stored);
  } catch {
    return undefined;
  }
};

export const orderView = async (log: EventLogReader, stream: StreamName): Promise<OrderStatusView | undefined> => {
  let view: OrderStatusView | undefined;
  for await (const stored of readChained(log, stream)) {
    const event = decodeAny(stored);
    if (event !== undefined) view = foldOrderStatus(view, logEventOf(stored, event as OrderEvent));
  }
  return view;
};

export const readOrder = async (log: EventLogReader, stream: StreamName): Promise<OrderStatusView> => {
  const view = await orderView(log, stream);
  if (view === undefined) throw new CommandFailed('the order has no readable events');
  return view;
};

/**
 * Finds the streams of the orders with this orderid or client_orderid. Several match if two kinds of orders share a client_orderid, or one order's client_orderid is another's orderid.
 * Without a merchant only the log is searched.
 * @param by only this kind of name; both kinds if it is absent
 * @param already streams found by other means, included in the result
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
    // If the name was found, search only the events that the read model lacks: the whole log may be long.
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
