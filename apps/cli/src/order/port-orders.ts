import { accessSync, constants } from 'node:fs';
import { packageRoot, readEnvironment, type OrchestratorEnvironment } from '@app/configuration';
import { INDEX_MESSAGES, type FoundBy, type IndexState, type OrderSummary } from '@app/read-models/queries';
import { CommandFailed, EXIT } from '../command-failed';
import { withOrders } from './named-orders';
import { nameKindOf, oneOrder, severalOrders, type NameOptions, type OrderIds } from './one-order';
import { orderView } from './order-view';
import type { Output } from '../terminal/output';
import { shortened } from '../terminal/printable';
import { readOperatorPort } from '../service/operator-port';
import { isTokenGiven, operatorToken } from '../service/operator-token';

const NAME_SHOWN_MAX = 128;

/** The options of a verb that reads the stores, or asks the running service instead. */
export interface PlaceOptions {
  /** Read the stores, even if a token is given. */
  readonly offline?: true;
}

/** The running service, for a question that it answers and records. */
export interface OperatorPort {
  readonly environment: OrchestratorEnvironment;
  /** The answer of a path. @throws CommandFailed */
  read<Answer>(path: string, question?: Readonly<Record<string, string | undefined>>): Promise<Answer>;
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
 * The operator port if the stores are not at hand and a token is given: whoever asks then needs no access to the databases. Undefined if the stores
 * are to be read.
 * @throws CommandFailed if there is neither
 */
export const portInstead = ({ offline }: PlaceOptions): OperatorPort | undefined => {
  if (offline === true) return undefined;
  const environment = readEnvironment(process.env, packageRoot());
  const { eventStore } = environment;
  if (eventStore.kind !== 'file' || isReadable(eventStore.path)) return undefined;
  if (!isTokenGiven(process.env, environment))
    throw new CommandFailed(
      `there is no event log at ${eventStore.path}; DATA_DIR names the folder. To ask the running service instead, give a token of an operator: ORCH_OPERATOR_TOKEN or ORCH_OPERATOR_TOKEN_FILE`,
    );
  const token = operatorToken(process.env, environment);
  return {
    environment,
    read: async <Answer>(path: string, question: Readonly<Record<string, string | undefined>> = {}) => {
      const given = Object.entries(question).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
      const query = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
      return (await readOperatorPort(environment, token, `${path}${query}`)) as Answer;
    },
  };
};

/** A page of `GET /orders/find`. */
export interface FoundAtPort {
  readonly found: readonly { readonly by: readonly FoundBy[]; readonly order: OrderSummary }[];
  readonly next?: string;
  readonly areReferencesCut?: true;
  readonly index?: Exclude<IndexState, 'level'>;
}

const found = async (port: OperatorPort, name: string, options: NameOptions): Promise<readonly OrderSummary[]> => {
  const kind = nameKindOf(options);
  const page = await port.read<FoundAtPort>('/orders/find', { q: name, merchant: options.merchant });
  const named = page.found.filter(({ by }) => by.some((one) => (one === 'orderid' || one === 'client_orderid') && (kind ?? one) === one));
  if (named.length > 0) return named.map(({ order }) => order);
  const shown = `no order "${shortened(name, NAME_SHOWN_MAX)}"${options.merchant === undefined ? '' : ` of ${options.merchant}`}`;
  if (page.index !== undefined) throw new CommandFailed(`${shown} was found, but ${INDEX_MESSAGES[page.index]}`);
  throw new CommandFailed(shown, EXIT.notFound);
};

/** The orders of a name, for a verb that shows each of them. @throws CommandFailed if there is none */
export const ordersAtPort = async (
  port: OperatorPort,
  name: string,
  options: NameOptions,
  output: Pick<Output, 'problem'>,
): Promise<readonly OrderSummary[]> => {
  const orders = await found(port, name, options);
  if (orders.length > 1) output.problem(severalOrders(name, orders));
  return orders;
};

/** The only order of a name. @throws CommandFailed */
export const orderAtPort = async (port: OperatorPort, name: string, options: NameOptions): Promise<OrderSummary> => {
  const orders = await found(port, name, options);
  const [order] = orders;
  if (order !== undefined && orders.length === 1) return order;
  throw new CommandFailed(severalOrders(name, orders), EXIT.usage);
};

/** Finds the only order of a name for a request to the running service: by the stores, or by the service itself. @throws CommandFailed */
export const orderToChange = async (
  name: string,
  options: NameOptions,
): Promise<{ readonly environment: OrchestratorEnvironment; readonly order: OrderIds }> => {
  const port = portInstead({});
  if (port !== undefined) return { environment: port.environment, order: await orderAtPort(port, name, options) };
  return withOrders(options.merchant, async (verb) => {
    const view = await orderView(verb.readers.log, await oneOrder(verb, name, options));
    if (view === undefined) throw new CommandFailed('the order cannot be read');
    return { environment: verb.environment, order: view };
  });
};
