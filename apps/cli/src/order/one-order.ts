import type { StreamName } from '@app/event-store';
import { CommandFailed, EXIT } from '../command-failed';
import { shortened } from '../terminal/printable';
import { findOrder } from './find-order';
import type { OrderVerb } from './named-orders';

const NAME_SHOWN_MAX = 128;

/** Finds the orders of a name. @throws CommandFailed where there is none */
export const namedOrders = async ({ readers, merchants, environment }: OrderVerb, name: string): Promise<readonly StreamName[]> => {
  const streams = await findOrder(readers, name, merchants);
  if (streams.length === 0) {
    throw new CommandFailed(
      `no order "${shortened(name, NAME_SHOWN_MAX)}" of ${merchants.join(', ')} in ${environment.dataDir}`,
      EXIT.notFound,
    );
  }
  return streams;
};

/** Finds the only order of a name, for a verb that changes something. @throws CommandFailed */
export const oneOrder = async (verb: OrderVerb, name: string): Promise<StreamName> => {
  const [stream, ...others] = await namedOrders(verb, name);
  if (stream === undefined || others.length > 0) {
    throw new CommandFailed(
      `"${shortened(name, NAME_SHOWN_MAX)}" names ${others.length + 1} orders; --merchant tells which, or the orderid`,
      EXIT.usage,
    );
  }
  return stream;
};
