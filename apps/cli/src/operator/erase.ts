import { readEnvironment, packageRoot, type OrchestratorEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort, claimOf } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { orderToChange } from '../order/port-orders';
import type { NameOptions } from '../order/one-order';
import { asJson, type Output } from '../terminal/output';

interface CustomerOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly status: string;
}

interface Page {
  readonly orders: readonly CustomerOrder[];
  readonly next?: string;
}

/** A log of a billion events has fewer pages. */
const PAGES_MAX = 1_000_000;

/** The orders of one payer, page by page to the end of the log; each once. @throws CommandFailed */
export async function* customerOrders(ask: (action: object) => Promise<unknown>, asked: object): AsyncGenerator<CustomerOrder> {
  const seen = new Set<string>();
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { orders, next } = (await ask({ ...asked, ...(after !== undefined && { after }) })) as Page;
    for (const order of orders) {
      if (seen.has(order.orderId)) continue;
      seen.add(order.orderId);
      yield order;
    }
    if (next === undefined) return;
    after = next;
  }
  throw new CommandFailed(`more than ${PAGES_MAX} pages`);
}

export interface EraseOptions {
  readonly order?: string;
  readonly orderid?: string;
  readonly clientOrderid?: string;
  readonly customer?: string;
  readonly card?: string;
  readonly reason: string;
  readonly merchant?: string;
  readonly endReferences?: true;
  readonly dryRun?: true;
  readonly actor?: string;
}

interface Erased {
  readonly requestId?: string;
  readonly texts: number;
  readonly cards: number;
}

/** An erasure opens and ends several streams and waits for the vault. */
const ERASING_MS = 60_000;

/** `orch erase`: the running service destroys the keys of an order's texts, or a card. @throws CommandFailed */
export const erase = async (options: EraseOptions, output: Output): Promise<void> => {
  const { order, orderid, clientOrderid, customer, card, dryRun } = options;
  if ([order, orderid, clientOrderid, customer, card].filter((one) => one !== undefined).length !== 1)
    throw new CommandFailed('one of --order, --orderid, --client-orderid, --customer and --card says what is erased', EXIT.usage);
  if (dryRun === true && customer === undefined) throw new CommandFailed('--dry-run is for --customer', EXIT.usage);
  if (order !== undefined) return eraseOrder(order, {}, options, output);
  if (orderid !== undefined) return eraseOrder(orderid, { orderid: true }, options, output);
  if (clientOrderid !== undefined) return eraseOrder(clientOrderid, { clientOrderid: true }, options, output);
  if (card !== undefined) return eraseCard(card, options, output);
  return eraseCustomer(customer ?? '', options, output);
};

const ask = async (environment: OrchestratorEnvironment, path: string, action: object): Promise<Erased> =>
  (await askOperatorPort(environment, operatorToken(process.env, environment), path, action, ERASING_MS)) as Erased;

const messageOf = ({ reason, merchant, actor, endReferences }: EraseOptions): object => ({
  reason,
  ...claimOf(actor),
  ...(merchant !== undefined && { merchant }),
  ...(endReferences === true && { endsReferences: true }),
});

const told = (what: string, { requestId, texts, cards }: Erased): string =>
  requestId === undefined
    ? `${what}: nothing is left to erase`
    : `${what}: ${texts} ${texts === 1 ? 'key' : 'keys'} of texts and ${cards} ${cards === 1 ? 'card' : 'cards'} erased, request ${requestId}`;

const eraseOrder = async (name: string, kind: NameOptions, options: EraseOptions, output: Output): Promise<void> => {
  const { environment, order } = await orderToChange(name, {
    ...kind,
    ...(options.merchant !== undefined && { merchant: options.merchant }),
  });
  const { orderId, merchant } = order;
  const erased = await ask(environment, `/orders/${orderId}/erasure`, { ...messageOf(options), merchant });
  output.line(output.isJson ? asJson({ orderId, ...erased }) : told(`order ${orderId}`, erased));
};

const eraseCard = async (cardRefId: string, options: EraseOptions, output: Output): Promise<void> => {
  if (options.endReferences === true)
    throw new CommandFailed('--end-references is for orders: with --card they end in any case', EXIT.usage);
  const environment = readEnvironment(process.env, packageRoot());
  const erased = await ask(environment, `/card-references/${encodeURIComponent(cardRefId)}/erasure`, messageOf(options));
  output.line(output.isJson ? asJson({ cardRefId, ...erased }) : told(`card reference ${cardRefId}`, erased));
};

const eraseCustomer = async (customer: string, options: EraseOptions, output: Output): Promise<void> => {
  const { merchant, actor, dryRun } = options;
  if (merchant === undefined) throw new CommandFailed('--customer needs --merchant: whose payer it is', EXIT.usage);
  const environment = readEnvironment(process.env, packageRoot());
  const token = operatorToken(process.env, environment);
  const asked = { merchant, customer, ...claimOf(actor) };
  const orders: CustomerOrder[] = [];
  // All are found before the first is erased: a text that is gone names nobody.
  for await (const order of customerOrders((action) => askOperatorPort(environment, token, '/customers/orders', action, ERASING_MS), asked))
    orders.push(order);
  let refused = 0;
  for (const { orderId, clientOrderId, status } of orders) {
    if (dryRun === true) {
      output.line(output.isJson ? asJson({ orderId, clientOrderId, status }) : `order ${orderId}: ${status}`);
      continue;
    }
    try {
      const erased = await ask(environment, `/orders/${orderId}/erasure`, messageOf(options));
      output.line(output.isJson ? asJson({ orderId, ...erased }) : told(`order ${orderId}`, erased));
    } catch (error) {
      if (!(error instanceof CommandFailed) || error.exitCode !== EXIT.refused) throw error;
      refused += 1;
      output.line(output.isJson ? asJson({ orderId, refused: error.message }) : `order ${orderId}: ${error.message}`);
    }
  }
  if (!output.isJson) output.line(`${orders.length} orders of this payer at ${merchant}${refused > 0 ? `, ${refused} not erased` : ''}`);
  if (refused > 0) throw new CommandFailed(`${refused} of ${orders.length} orders were refused`, EXIT.refused);
};
