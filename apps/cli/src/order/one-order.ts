import { Option, type Command } from 'commander';
import type { StreamName } from '@app/event-store';
import { decodeAny } from '@app/read-models/queries';
import { CommandFailed, EXIT } from '../command-failed';
import type { EventLogReader } from '../service/event-log';
import type { Output } from '../terminal/output';
import { printable, shortened } from '../terminal/printable';
import { findOrder, type NameKind } from './find-order';
import type { OrderVerb } from './named-orders';

const NAME_SHOWN_MAX = 128;
const SEVERAL_SHOWN_MAX = 5;

/** The options of a verb that say how its name of an order is meant. */
export interface NameOptions {
  readonly merchant?: string;
  readonly orderid?: true;
  readonly clientOrderid?: true;
}

/** For verbs with a name of an order as their argument. */
export const addNameOptions = (command: Command): Command =>
  command
    .addOption(new Option('--orderid', 'the name is an orderid, and no client_orderid').conflicts('clientOrderid'))
    .addOption(new Option('--client-orderid', 'the name is a client_orderid, and no orderid').conflicts('orderid'));

export const nameKindOf = ({ orderid, clientOrderid }: NameOptions): NameKind | undefined => {
  if (orderid === true) return 'orderid';
  return clientOrderid === true ? 'client_orderid' : undefined;
};

/** What an order is called. */
export interface OrderIds {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly merchant: string;
}

const HOW_TO_NAME = '--orderid with one of these orderids names one of them; --client-orderid and --merchant narrow the name';

/** Says which orders a name has, and how each of them is named. */
export const severalOrders = (name: string, orders: readonly OrderIds[]): string => {
  const shown = orders
    .slice(0, SEVERAL_SHOWN_MAX)
    .map(
      ({ orderId, clientOrderId, merchant }) => `orderid ${printable(orderId)} (client_orderid ${printable(clientOrderId)} of ${merchant})`,
    );
  const more = orders.length > SEVERAL_SHOWN_MAX ? ` and ${orders.length - SEVERAL_SHOWN_MAX} more` : '';
  return `"${shortened(name, NAME_SHOWN_MAX)}" names ${orders.length} orders: ${shown.join(', ')}${more}. ${HOW_TO_NAME}`;
};

/** From the first event alone: an order whose stream is damaged further on is named all the same. */
const idsOf = async (log: Pick<EventLogReader, 'read'>, stream: StreamName): Promise<OrderIds> => {
  for await (const stored of log.read(stream)) return decodeAny(stored)?.data as OrderIds;
  throw new Error(`${stream} holds no events`);
};

export const severalStreams = async (log: Pick<EventLogReader, 'read'>, name: string, streams: readonly StreamName[]): Promise<string> =>
  severalOrders(name, await Promise.all(streams.map((stream) => idsOf(log, stream))));

const noOrder = (name: string, merchants: readonly string[], place: string): CommandFailed =>
  new CommandFailed(`no order "${shortened(name, NAME_SHOWN_MAX)}" of ${merchants.join(', ')} in ${place}`, EXIT.notFound);

const found = async (
  { readers, merchants, environment }: OrderVerb,
  name: string,
  options: NameOptions,
): Promise<readonly StreamName[]> => {
  const streams = await findOrder(readers, name, merchants, nameKindOf(options));
  if (streams.length === 0) throw noOrder(name, merchants, environment.dataDir);
  return streams;
};

/**
 * Finds the orders of a name, for a verb that shows each of them.
 * @param output its problems say if the name means several
 * @throws CommandFailed where there is none
 */
export const namedOrders = async (
  verb: OrderVerb,
  name: string,
  options: NameOptions,
  output: Pick<Output, 'problem'>,
): Promise<readonly StreamName[]> => {
  const streams = await found(verb, name, options);
  if (streams.length > 1) output.problem(await severalStreams(verb.readers.log, name, streams));
  return streams;
};

/** Finds the only order of a name, for a verb that changes something or answers about one order. @throws CommandFailed */
export const oneOrder = async (verb: OrderVerb, name: string, options: NameOptions): Promise<StreamName> => {
  const streams = await found(verb, name, options);
  const [stream] = streams;
  if (stream !== undefined && streams.length === 1) return stream;
  throw new CommandFailed(await severalStreams(verb.readers.log, name, streams), EXIT.usage);
};
