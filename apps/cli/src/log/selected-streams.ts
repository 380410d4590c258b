import type { MerchantLogin } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { SELECTED_STREAMS_MAX, type Selection } from '@app/event-store/copy';
import { CommandFailed, EXIT } from '../command-failed';
import { findOrder, holdsEvents, type NameKind } from '../order/find-order';
import { severalStreams } from '../order/one-order';
import { orderStreams } from '../order/order-story';
import type { EventLogReader } from '../service/event-log';
import { shortened } from '../terminal/printable';

export interface SelectionOptions {
  readonly stream: readonly string[];
  readonly order?: string;
  /** Like `order`, but only as this kind of name. */
  readonly orderid?: string;
  readonly clientOrderid?: string;
  readonly merchant?: MerchantLogin;
}

const NAME_SHOWN_MAX = 128;

interface NamedOrder {
  readonly option: string;
  readonly name: string;
  readonly by?: NameKind;
}

/** @throws CommandFailed if several options name one */
const orderNamed = ({ order, orderid, clientOrderid }: SelectionOptions): NamedOrder | undefined => {
  const named: readonly NamedOrder[] = [
    ...(order === undefined ? [] : [{ option: '--order', name: order }]),
    ...(orderid === undefined ? [] : [{ option: '--orderid', name: orderid, by: 'orderid' as const }]),
    ...(clientOrderid === undefined ? [] : [{ option: '--client-orderid', name: clientOrderid, by: 'client_orderid' as const }]),
  ];
  if (named.length > 1) throw new CommandFailed(`${named.map(({ option }) => option).join(' and ')} exclude each other`, EXIT.usage);
  return named[0];
};

/** Reads the log alone: the source has its own read model elsewhere, or none. */
const streamsOfOrder = async (
  log: EventLogReader,
  { option, name, by }: NamedOrder,
  merchant: MerchantLogin | undefined,
): Promise<readonly StreamName[]> => {
  const readers = { log, readModel: undefined };
  const orders = await findOrder(readers, name, merchant === undefined ? 'any' : [merchant], by);
  const shown = shortened(name, NAME_SHOWN_MAX);
  if (orders.length === 0) throw new CommandFailed(`${option}: no order "${shown}" in the source`, EXIT.notFound);
  if (orders.length > 1) throw new CommandFailed(`${option}: ${await severalStreams(log, name, orders)}`, EXIT.usage);
  const found = await Promise.all(orders.map((order) => orderStreams(readers, order)));
  if (found.some(({ isWhole }) => !isWhole)) {
    throw new CommandFailed(
      `${option}: "${shown}" holds an event that this release cannot read, so its streams are not known; --stream names them`,
    );
  }
  return found.flatMap(({ streams }) => streams);
};

const streamsNamed = async (log: EventLogReader, names: readonly string[]): Promise<readonly StreamName[]> => {
  for (const name of names) {
    if (!(await holdsEvents(log, name as StreamName))) {
      throw new CommandFailed(`--stream: no stream "${shortened(name, NAME_SHOWN_MAX)}" in the source`, EXIT.notFound);
    }
  }
  return names as readonly StreamName[];
};

/** Of a whole log, an order, or streams by name. @throws CommandFailed */
export const selectedStreams = async (log: EventLogReader, options: SelectionOptions): Promise<Selection> => {
  const { stream, merchant } = options;
  const order = orderNamed(options);
  if (order === undefined && merchant !== undefined) throw new CommandFailed('--merchant goes with --order', EXIT.usage);
  if (order !== undefined && stream.length > 0) throw new CommandFailed(`${order.option} and --stream exclude each other`, EXIT.usage);
  const streams = order === undefined ? await streamsNamed(log, stream) : await streamsOfOrder(log, order, merchant);
  if (streams.length === 0) return 'all';
  const names = [...new Set(streams)];
  if (names.length > SELECTED_STREAMS_MAX)
    throw new CommandFailed(`${names.length} streams: at most ${SELECTED_STREAMS_MAX} at once`, EXIT.usage);
  return names;
};
