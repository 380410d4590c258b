import type { MerchantLogin } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { SELECTED_STREAMS_MAX, type Selection } from '@app/event-store/copy';
import { CommandFailed, EXIT } from '../command-failed';
import { findOrder, holdsEvents } from '../order/find-order';
import { orderStreams } from '../order/order-story';
import type { EventLogReader } from '../service/event-log';
import { shortened } from '../terminal/printable';

export interface SelectionOptions {
  readonly stream: readonly string[];
  readonly order?: string;
  readonly merchant?: MerchantLogin;
}

const NAME_SHOWN_MAX = 128;

/** Reads the log alone: the source has its own read model elsewhere, or none. */
const streamsOfOrder = async (log: EventLogReader, name: string, merchant: MerchantLogin | undefined): Promise<readonly StreamName[]> => {
  const readers = { log, readModel: undefined };
  const orders = await findOrder(readers, name, merchant === undefined ? 'any' : [merchant]);
  const shown = shortened(name, NAME_SHOWN_MAX);
  if (orders.length === 0) throw new CommandFailed(`--order: no order "${shown}" in the source`, EXIT.notFound);
  if (orders.length > 1 && merchant === undefined) {
    throw new CommandFailed(`--order: "${shown}" names ${orders.length} orders; --merchant tells which, or the orderid`, EXIT.usage);
  }
  const found = await Promise.all(orders.map((order) => orderStreams(readers, order)));
  if (found.some(({ isWhole }) => !isWhole)) {
    throw new CommandFailed(
      `--order: "${shown}" holds an event that this release cannot read, so its streams are not known; --stream names them`,
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

/** The merchant whose streams are asked for, all of them. @throws CommandFailed */
export const wholeMerchant = ({ stream, order, merchant }: SelectionOptions): MerchantLogin | undefined => {
  if (merchant === undefined || order !== undefined) return undefined;
  if (stream.length > 0) throw new CommandFailed('--merchant and --stream exclude each other', EXIT.usage);
  return merchant;
};

/** Of a whole log, an order, or streams by name. @throws CommandFailed */
export const selectedStreams = async (log: EventLogReader, { stream, order, merchant }: SelectionOptions): Promise<Selection> => {
  if (order !== undefined && stream.length > 0) throw new CommandFailed('--order and --stream exclude each other', EXIT.usage);
  const streams = order === undefined ? await streamsNamed(log, stream) : await streamsOfOrder(log, order, merchant);
  if (streams.length === 0) return 'all';
  const names = [...new Set(streams)];
  if (names.length > SELECTED_STREAMS_MAX)
    throw new CommandFailed(`${names.length} streams: at most ${SELECTED_STREAMS_MAX} at once`, EXIT.usage);
  return names;
};
