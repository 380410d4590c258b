import { formatAmount, sleep, type Deadline, type Scheduler } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { concealCardNumbers, type EventStore, type Position, type RequestDeadlines, type StreamName } from '@app/event-store';
import { formatInstant, type Receipt, type ReceiptOperation } from '@app/gateway-protocol';
import type { Accounts, Merchant } from '@app/configuration';
import type { OrderStatusView } from '@app/read-models';
import { hasAmount, merchantStatus } from '@app/read-models/queries';
import { orderTexts } from '../application/order-texts';
import { SEALED_FIELDS, type OrderCard } from '../domain/accepted-order';

export interface ReceiptPorts {
  readonly accounts: Pick<Accounts, 'entryPoint' | 'merchant'>;
  readonly search: { streamsNamed(identifier: string, asked: { readonly deadline: Deadline }): Promise<readonly StreamName[]> };
  /** Undefined while the read model was never built. */
  readonly searchedUpTo: () => Promise<Position | undefined>;
  readonly log: Pick<EventStore, 'head' | 'comparePositions'>;
  /** Reads the order from its stream, so that it is up to date. */
  readonly orders: { ofStream(stream: StreamName, asked: { readonly deadline: Deadline }): Promise<OrderStatusView | undefined> };
  readonly sealer: Pick<OrderSealer, 'unseal'>;
  readonly scheduler: Scheduler;
  readonly deadlines: Pick<RequestDeadlines, 'within'>;
  readonly onError: (error: unknown) => void;
}

const RECEIPT_ID = /^[A-Za-z0-9]{24}$/;
/** A description may have 64 KiB, too long for a receipt. */
const DESCRIPTION_SHOWN_MAX = 500;
/** Waits for a read model that may lag behind a recent approval. */
const POLLS_MAX = 20;
const POLL_GAP_MS = 50;

/** Finds receipts, only at an endpoint of the order's merchant (safety, T11). */
export class Receipts {
  #poll: Promise<Position | undefined> | undefined;

  constructor(private readonly ports: ReceiptPorts) {}

  /** @returns 'unavailable' if a store failed or the read model lags too far behind */
  async find(endpointId: string, receiptId: string): Promise<Receipt | 'unknown' | 'unavailable'> {
    try {
      return (await this.ports.deadlines.within((deadline) => this.findWithin(endpointId, receiptId, deadline))) ?? 'unknown';
    } catch (error) {
      this.ports.onError(error);
      return 'unavailable';
    }
  }

  private async findWithin(endpointId: string, receiptId: string, deadline: Deadline): Promise<Receipt | undefined> {
    const { accounts, orders } = this.ports;
    const entryPoint = accounts.entryPoint('endpoint', endpointId);
    if (entryPoint === undefined || !RECEIPT_ID.test(receiptId)) return undefined;
    for (const stream of await this.streamsOf(receiptId, deadline)) {
      const view = await orders.ofStream(stream, { deadline });
      const isRequested = view?.receiptId === receiptId && view.merchant === entryPoint.merchant && view.endpointId === endpointId;
      if (isRequested && view.card !== null)
        return {
          ...receiptOf(view, view.card, receiptId, accounts.merchant(view.merchant)),
          description: await this.descriptionOf(view, deadline),
        };
    }
    return undefined;
  }

  /** Undefined if erased or the vault is unavailable: the payment can be shown without it. */
  private async descriptionOf({ merchant, details }: OrderStatusView, deadline: Deadline): Promise<string | undefined> {
    try {
      const text = (await orderTexts(this.ports.sealer, { merchant, field: SEALED_FIELDS.details, sealed: details, deadline })).get(
        'description',
      );
      if (text === undefined) return undefined;
      const shown = concealCardNumbers(text);
      return shown.length <= DESCRIPTION_SHOWN_MAX ? shown : `${shown.slice(0, DESCRIPTION_SHOWN_MAX - 1)}…`;
    } catch (error) {
      this.ports.onError(error);
      return undefined;
    }
  }

  private async streamsOf(receiptId: string, deadline: Deadline): Promise<readonly StreamName[]> {
    const { search, log } = this.ports;
    const found = await search.streamsNamed(receiptId, { deadline });
    if (found.length > 0) return found;
    const head = await log.head(deadline);
    let position = await this.pollPosition(0);
    let isUpToDate = false;
    for (let poll = 1; poll <= POLLS_MAX; poll++) {
      isUpToDate = position !== undefined && log.comparePositions(position, head) >= 0;
      if (isUpToDate || poll === POLLS_MAX) break;
      position = await this.pollPosition(POLL_GAP_MS);
    }
    const foundLater = await search.streamsNamed(receiptId, { deadline });
    // A lagging search cannot prove that there is no such receipt.
    if (foundLater.length === 0 && !isUpToDate) throw new Error('the search of orders is behind the log');
    return foundLater;
  }

  /** All waiting requests share one poll, because anyone may ask for a receipt that does not exist. */
  private pollPosition(afterMs: number): Promise<Position | undefined> {
    const { searchedUpTo, scheduler } = this.ports;
    this.#poll ??= (afterMs === 0 ? searchedUpTo() : sleep(scheduler, afterMs).then(searchedUpTo)).finally(() => {
      this.#poll = undefined;
    });
    return this.#poll;
  }
}

const receiptOf = (view: OrderStatusView, { face }: OrderCard, receiptId: string, merchant: Merchant | undefined): Receipt => ({
  receiptId,
  merchantName: merchant?.name ?? view.merchant,
  siteUrl: merchant?.siteUrl,
  descriptor: descriptorOf(view),
  clientOrderId: view.clientOrderId,
  orderId: view.orderId,
  operation: {
    type: view.operation,
    status: merchantStatus(view.status, merchant),
    amount: hasAmount(view) ? formatAmount(BigInt(view.amountMinor)) : undefined,
    currency: view.currency,
    date: view.finalAt === null ? undefined : formatInstant(view.finalAt),
    approvalCode: view.approvalCode ?? undefined,
  },
  card: { type: view.issuer?.cardType ?? face.brand, lastFour: face.lastFour },
  transactionId: view.receipt?.transactionId,
  rrn: view.receipt?.rrn,
  followUps: view.followUps
    .filter(({ status }) => status !== 'declined' && status !== 'error')
    .map((followUp) => followUpOf(followUp, view.currency, merchant)),
});

/** The gate's alias replaces a missing descriptor, and names no shop to the payer. */
const descriptorOf = ({ gate }: OrderStatusView): string | undefined =>
  gate === null || gate.descriptor === gate.alias ? undefined : gate.descriptor;

const followUpOf = (
  followUp: OrderStatusView['followUps'][number],
  currency: string,
  merchant: Merchant | undefined,
): ReceiptOperation => ({
  type: followUp.operation,
  status: merchantStatus(followUp.status, merchant),
  amount: formatAmount(BigInt(followUp.amountMinor)),
  currency,
  date: followUp.finalAt === null ? undefined : formatInstant(followUp.finalAt),
  approvalCode: followUp.approvalCode ?? undefined,
});
