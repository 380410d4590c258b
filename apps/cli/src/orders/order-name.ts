import { Option, type Command } from 'commander';
import { accessSync, constants } from 'node:fs';
import type { StreamName } from '@app/event-store';
import { decodeAny, orderSummary, type OrderSummary, INDEX_MESSAGES } from '@app/read-models/queries';
import type { OrderStatusView } from '@app/read-models';
import type { Found, NameKind, OrderIds } from '@app/investigation';
import { CommandFailed, EXIT, MERCHANT, type Output, printable, shortened, writeResult } from '../terminal';
import { ownEnvironment, type EventLogReader, type OrderVerb, withOrders } from '../stores';
import { findOrder, readOrder } from './find-order';
import { isTokenGiven, OperatorPort } from '../operator-port';

const NAME_SHOWN_MAX = 128;
export const shownName = (name: string): string => `"${shortened(name, NAME_SHOWN_MAX)}"`;
const SEVERAL_SHOWN_MAX = 5;

export interface NameOptions {
  readonly merchant?: string;
  readonly orderid?: true;
  readonly clientOrderid?: true;
}

/** A verb about one order, with the options that narrow its name. */
export const orderCommand = (parent: Command, verb: string, argument = '<order>', meaning = 'an orderid or a client_orderid'): Command =>
  parent
    .command(verb)
    .argument(argument, meaning)
    .option(...MERCHANT)
    .addOption(new Option('--orderid', 'treat <order> as an orderid').conflicts('clientOrderid'))
    .addOption(new Option('--client-orderid', 'treat <order> as a client_orderid').conflicts('orderid'));

export const nameKindOf = ({ orderid, clientOrderid }: NameOptions): NameKind | undefined => {
  if (orderid === true) return 'orderid';
  return clientOrderid === true ? 'client_orderid' : undefined;
};

const HOW_TO_NAME = 'Name one of them with --orderid, or narrow the search with --client-orderid or --merchant';

const severalOrders = (name: string, orders: readonly OrderIds[]): string => {
  const shown = orders
    .slice(0, SEVERAL_SHOWN_MAX)
    .map(
      ({ orderId, clientOrderId, merchant }) => `orderid ${printable(orderId)} (client_orderid ${printable(clientOrderId)} of ${merchant})`,
    );
  const more = orders.length > SEVERAL_SHOWN_MAX ? ` and ${orders.length - SEVERAL_SHOWN_MAX} more` : '';
  return `${shownName(name)} names ${orders.length} orders: ${shown.join(', ')}${more}. ${HOW_TO_NAME}`;
};

/** Reads only the first event: an order whose stream is damaged later is still named. */
const idsOf = async (log: Pick<EventLogReader, 'read'>, stream: StreamName): Promise<OrderIds> => {
  for await (const stored of log.read(stream)) return decodeAny(stored)?.data as OrderIds;
  throw new Error(`${stream} holds no events`);
};

export const severalStreams = async (log: Pick<EventLogReader, 'read'>, name: string, streams: readonly StreamName[]): Promise<string> =>
  severalOrders(name, await Promise.all(streams.map((stream) => idsOf(log, stream))));

const noOrder = (name: string, merchants: readonly string[], place: string): CommandFailed =>
  new CommandFailed(`no order ${shownName(name)} of ${merchants.join(', ')} in ${place}`, EXIT.notFound);

const found = async (
  { readers, merchants, environment }: OrderVerb,
  name: string,
  options: NameOptions,
): Promise<readonly StreamName[]> => {
  const streams = await findOrder(readers, name, merchants, nameKindOf(options));
  if (streams.length === 0) throw noOrder(name, merchants, environment.dataDir);
  return streams;
};

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

/** The only order of a name, for verbs that change something or answer about one order. @throws CommandFailed */
export const oneOrder = async (verb: OrderVerb, name: string, options: NameOptions): Promise<StreamName> => {
  const streams = await found(verb, name, options);
  const [stream, ...others] = streams;
  if (stream !== undefined && others.length === 0) return stream;
  throw new CommandFailed(await severalStreams(verb.readers.log, name, streams), EXIT.usage);
};

/** Names that cannot be in a path: dot segments, and words of the operator port's own addresses. Such orders are addressed by order id. */
const NO_NAMES_IN_A_PATH: ReadonlySet<string> = new Set(['', '.', '..', 'unknown']);

export const orderPath = (order: string): string => {
  if (NO_NAMES_IN_A_PATH.has(order))
    throw new CommandFailed(`${JSON.stringify(order)} cannot be part of a path. Give the order id, which orch find shows`, EXIT.usage);
  return `/audit/orders/${encodeURIComponent(order)}`;
};

export const writeOrder = (view: OrderStatusView, output: Output, more: { readonly by?: readonly string[] } = {}): void =>
  writeSummary(orderSummary(view), output, more);

export const writeSummary = (summary: OrderSummary, output: Output, more: { readonly by?: readonly string[] } = {}): void => {
  const { orderId, merchant, clientOrderId, amount, currency, status, stage, gate, acceptedAt, unknownSince, followUps } = summary;
  const since = unknownSince === undefined ? '' : `, unknown since ${unknownSince}`;
  const by = more.by === undefined ? '' : `, found by ${more.by.join(', ')}`;
  writeResult(output, { ...summary, ...more }, () => [
    `${output.paint('strong', orderId)}  ${merchant}  ${printable(clientOrderId)}  ${amount} ${currency}  ${status} (${stage})  ${gate ?? '-'}  ${acceptedAt}${since}${by}`,
    ...followUps
      .filter((followUp) => followUp.status === 'unknown')
      .map(
        ({ number, operation, amount: sum, acceptedAt: askedAt }) =>
          `  follow-up ${number}: ${operation} ${sum} ${currency}  unknown  ${askedAt}`,
      ),
  ]);
};

export interface PlaceOptions {
  readonly offline?: true;
}

const isReadable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * The operator port, if the stores are not accessible and a token is given; undefined if the stores are to be read.
 * @throws CommandFailed if there is neither
 */
export const portInstead = ({ offline }: PlaceOptions): OperatorPort | undefined => {
  if (offline === true) return undefined;
  const environment = ownEnvironment();
  const { eventStore } = environment;
  if (eventStore.kind !== 'file' || isReadable(eventStore.path)) return undefined;
  if (!isTokenGiven(process.env, environment))
    throw new CommandFailed(
      `no event log at ${eventStore.path}. Set DATA_DIR to the folder of the service. To ask the running service instead, set ORCH_OPERATOR_TOKEN or ORCH_OPERATOR_TOKEN_FILE`,
    );
  return OperatorPort.of(environment);
};

const foundAtPort = async (port: OperatorPort, name: string, options: NameOptions): Promise<readonly OrderSummary[]> => {
  const kind = nameKindOf(options);
  const page = await port.read<Found>('/orders/find', { q: name, merchant: options.merchant });
  const named = page.found.filter(({ by }) => by.some((one) => (one === 'orderid' || one === 'client_orderid') && (kind ?? one) === one));
  if (named.length > 0) return named.map(({ order }) => order);
  const shown = `no order ${shownName(name)}${options.merchant === undefined ? '' : ` of ${options.merchant}`}`;
  if (page.index !== undefined) throw new CommandFailed(`${shown} was found, but ${INDEX_MESSAGES[page.index]}`);
  throw new CommandFailed(shown, EXIT.notFound);
};

/** @throws CommandFailed if there is none */
export const ordersAtPort = async (
  port: OperatorPort,
  name: string,
  options: NameOptions,
  output: Pick<Output, 'problem'>,
): Promise<readonly OrderSummary[]> => {
  const orders = await foundAtPort(port, name, options);
  if (orders.length > 1) output.problem(severalOrders(name, orders));
  return orders;
};

export const orderAtPort = async (port: OperatorPort, name: string, options: NameOptions): Promise<OrderSummary> => {
  const orders = await foundAtPort(port, name, options);
  const [order] = orders;
  if (order !== undefined && orders.length === 1) return order;
  throw new CommandFailed(severalOrders(name, orders), EXIT.usage);
};

/** The running service and the only order of a name. Resolves the name from the stores, or through the service. @throws CommandFailed */
export const orderToChange = async (
  name: string,
  options: NameOptions,
): Promise<{ readonly port: OperatorPort; readonly order: OrderIds }> => {
  const port = portInstead({});
  if (port !== undefined) return { port, order: await orderAtPort(port, name, options) };
  return withOrders(options.merchant, async (verb) => ({
    order: await readOrder(verb.readers.log, await oneOrder(verb, name, options)),
    port: OperatorPort.of(verb.environment),
  }));
};
