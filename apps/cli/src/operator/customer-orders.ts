import { CommandFailed } from '../command-failed';

export interface CustomerOrder {
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
