import { formatAmount, sleep, type Deadline, type Scheduler } from '@app/kernel';
import type { EventStore, Position, RequestDeadlines, StreamName } from '@app/event-store';
import { formatInstant, type Receipt, type ReceiptOperation } from '@app/gateway-protocol';
import type { Accounts, Merchant } from '@app/configuration';
import type { OrderCard } from '@app/order-processing/events';
import type { OrderStatusView } from '@app/projections';
import { hasAmount } from '@app/order-queries';

export interface ReceiptPorts {
  readonly accounts: Pick<Accounts, 'entryPoint' | 'merchant'>;
  readonly search: { streamsNamed(identifier: string, asked: { readonly deadline: Deadline }): Promise<readonly StreamName[]> };
  /** How far the search has come; undefined while it was never built. */
  readonly searchedUpTo: () => Promise<Position | undefined>;
  readonly log: Pick<EventStore, 'head' | 'comparePositions'>;
  /** The order as its stream has it now. */
  readonly orders: { ofStream(stream: StreamName, asked: { readonly deadline: Deadline }): Promise<OrderStatusView | undefined> };
  readonly scheduler: Scheduler;
  readonly deadlines: Pick<RequestDeadlines, 'within'>;
  readonly onError: (error: unknown) => void;
}

/** 24 random characters (protocol decisions, section 2). */
const RECEIPT_ID = /^[A-Za-z0-9]{24}$/;
/** A receipt names no stream, so it is looked for in a read model, which may lag behind an approval of a moment ago: it is waited for. */
const LOOKS_MAX = 20;
const LOOK_GAP_MS = 50;

/** Receipts of approved orders, for whoever holds their address: the endpoint's merchant and nobody else's (safety, T11). */
export class Receipts {
  readonly #ports: ReceiptPorts;
  #look: Promise<Position | undefined> | undefined;

  constructor(ports: ReceiptPorts) {
    this.#ports = ports;
  }

  /** A foreign receipt is an unknown one. */
  async find(endpointId: string, receiptId: string): Promise<Receipt | 'unknown' | 'away'> {
    try {
      return (await this.#ports.deadlines.within((deadline) => this.#find(endpointId, receiptId, deadline))) ?? 'unknown';
    } catch (error) {
      this.#ports.onError(error);
      return 'away';
    }
  }

  async #find(endpointId: string, receiptId: string, deadline: Deadline): Promise<Receipt | undefined> {
    const { accounts, orders } = this.#ports;
    const entryPoint = accounts.entryPoint('endpoint', endpointId);
    if (entryPoint === undefined || !RECEIPT_ID.test(receiptId)) return undefined;
    for (const stream of await this.#streams(receiptId, deadline)) {
      const view = await orders.ofStream(stream, { deadline });
      const isMeant = view?.receiptId === receiptId && view.merchant === entryPoint.merchant && view.endpointId === endpointId;
      if (isMeant && view.card !== null) return receiptOf(view, view.card, receiptId, accounts.merchant(view.merchant));
    }
    return undefined;
  }

  async #streams(receiptId: string, deadline: Deadline): Promise<readonly StreamName[]> {
    const { search, log } = this.#ports;
    const named = await search.streamsNamed(receiptId, { deadline });
    if (named.length > 0) return named;
    const head = await log.head(deadline);
    let position = await this.#looked(0);
    let isAllSearched = false;
    for (let look = 1; look <= LOOKS_MAX; look++) {
      isAllSearched = position !== undefined && log.comparePositions(position, head) >= 0;
      if (isAllSearched || look === LOOKS_MAX) break;
      position = await this.#looked(LOOK_GAP_MS);
    }
    const found = await search.streamsNamed(receiptId, { deadline });
    // Nobody knows whether there is one.
    if (found.length === 0 && !isAllSearched) throw new Error('the search of orders is behind the log');
    return found;
  }

  /** How far the search has come: one look for all that wait for it, for anybody may ask for a receipt that is not there. */
  #looked(afterMs: number): Promise<Position | undefined> {
    const { searchedUpTo, scheduler } = this.#ports;
    this.#look ??= (afterMs === 0 ? searchedUpTo() : sleep(scheduler, afterMs).then(searchedUpTo)).finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }
}

const receiptOf = (view: OrderStatusView, { face }: OrderCard, receiptId: string, merchant: Merchant | undefined): Receipt => ({
  receiptId,
  merchantName: merchant?.name ?? view.merchant,
  siteUrl: merchant?.siteUrl,
  merchant: view.gate?.descriptor ?? view.merchant,
  clientOrderId: view.clientOrderId,
  orderId: view.orderId,
  operation: {
    type: view.operation,
    status: view.status,
    amount: hasAmount(view) ? formatAmount(BigInt(view.amountMinor)) : undefined,
    currency: view.currency,
    date: view.finalAt === null ? undefined : formatInstant(view.finalAt),
    approvalCode: view.approvalCode ?? undefined,
  },
  card: { type: view.issuer?.cardType ?? face.brand, lastFour: face.lastFour },
  transactionId: view.receipt?.transactionId,
  rrn: view.receipt?.rrn,
  followUps: view.followUps.filter(({ status }) => status !== 'declined' && status !== 'error').map((one) => laterOn(one, view.currency)),
});

const laterOn = (followUp: OrderStatusView['followUps'][number], currency: string): ReceiptOperation => ({
  type: followUp.operation,
  status: followUp.status,
  amount: formatAmount(BigInt(followUp.amountMinor)),
  currency,
  date: followUp.finalAt === null ? undefined : formatInstant(followUp.finalAt),
  approvalCode: followUp.approvalCode ?? undefined,
});
