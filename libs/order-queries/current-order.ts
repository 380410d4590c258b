import {
  EndableDeadline,
  unreachable,
  type ClientOrderId,
  type Deadline,
  type MerchantLogin,
  type OrderId,
  type OrderIds,
  type OrderKind,
  type Scheduler,
} from '@app/kernel';
import { readChained, storeWithin, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import type { OrderFacts } from '@app/order-processing';
import { gateApproval, type GateApproval, type OrderFact } from '@app/order-processing/domain';
import { deviceVerificationCodec } from '@app/device-verification';
import { erasedCards, erasureOf } from '@app/erasure';
import { paymentCodec } from '@app/payment';
import { foldOrderStatus, logEventOf, type OrderEvent, type OrderStatusRecord, type OrderStatusView } from '@app/projections';
import { recurringCodec } from '@app/recurring';
import { transferCodec } from '@app/transfer';
import { namedStream, streamOfOrder, streamsOfEachKind } from './order-stream';

/** The rows of the order-status read model; a row may lag, and may be missing. */
export interface OrderRows {
  byStream(merchant: MerchantLogin, stream: StreamName, deadline?: Deadline): Promise<OrderStatusRecord | undefined>;
}

/** How much of a stream is read. */
export interface OrderReadOptions {
  /** False for the first event that is not folded any more. */
  readonly upTo?: (stored: StoredEvent) => boolean;
  readonly deadline?: Deadline | undefined;
}

const CODECS: ReadonlyMap<string, { decode(stored: StoredEvent): OrderEvent }> = new Map<
  string,
  { decode(stored: StoredEvent): OrderEvent }
>([
  [paymentCodec.category, paymentCodec],
  [recurringCodec.category, recurringCodec],
  [deviceVerificationCodec.category, deviceVerificationCodec],
  [transferCodec.category, transferCodec],
]);

const decode = (stored: StoredEvent): OrderEvent => {
  const codec = CODECS.get(stored.stream.slice(0, stored.stream.indexOf('-')));
  if (codec === undefined) throw new Error(`${stored.stream}: not an order`);
  return codec.decode(stored);
};

/** A read model answers within a few milliseconds; its own time-outs, for a network that fell silent, would delay a status by seconds. */
const ROW_WAIT_MS = 500;

/**
 * Reads an order as its stream has it at this moment: the read model's row with the later events folded on top by the same fold, because an answer
 * may not come from a read model that lags behind (architecture, rule 10). The row only saves reading: where it cannot be had soon, or the log does
 * not hold what it was folded from, the whole stream is folded.
 * @throws BrokenChain for a stream whose chain is broken; StoreUnavailable once the request's deadline is over, when no read is left running
 */
export class CurrentOrderReader implements OrderFacts {
  constructor(
    private readonly store: EventStore,
    private readonly orderIds: Pick<OrderIds, 'kindOf'>,
    private readonly rows: OrderRows,
    private readonly scheduler: Scheduler,
    private readonly onRowUnread: (error: unknown) => void,
  ) {}

  /** Undefined where this merchant has no such order, and alike for another merchant's. */
  async find(
    merchant: MerchantLogin,
    clientOrderId: ClientOrderId,
    orderId: OrderId,
    deadline?: Deadline,
  ): Promise<OrderStatusView | undefined> {
    const view = await this.ofMerchant(merchant, namedStream(this.orderIds.kindOf(orderId), merchant, clientOrderId), deadline);
    return view?.orderId === orderId ? view : undefined;
  }

  /** The order of this kind that carries this client_orderid. */
  findOfKind(
    kind: OrderKind,
    merchant: MerchantLogin,
    clientOrderId: ClientOrderId,
    deadline?: Deadline,
  ): Promise<OrderStatusView | undefined> {
    return this.ofMerchant(merchant, namedStream(kind, merchant, clientOrderId), deadline);
  }

  /** The orders of every kind that carry this client_orderid. */
  async findAll(merchant: MerchantLogin, clientOrderId: ClientOrderId, deadline?: Deadline): Promise<readonly OrderStatusView[]> {
    const views = await Promise.all(
      streamsOfEachKind(merchant, clientOrderId).map((stream) => this.ofMerchant(merchant, stream, deadline)),
    );
    return views.filter((view) => view !== undefined);
  }

  /** Bypasses the read model, for callers that hold the stream's name and a secret of the order. */
  ofStream(stream: StreamName, { upTo, deadline }: OrderReadOptions = {}): Promise<OrderStatusView | undefined> {
    return this.wholeOf(stream, deadline, upTo);
  }

  async orderOf(
    merchant: MerchantLogin,
    clientOrderId: ClientOrderId,
    orderId: OrderId,
    deadline?: Deadline,
  ): Promise<OrderFact | undefined> {
    const view = await this.find(merchant, clientOrderId, orderId, deadline);
    if (view === undefined) return undefined;
    const { kind, endpointId, card, customer, mapped } = view;
    const approval = approvalIn(view);
    const known = { ...(card && { card }), ...(mapped && { mapped }), ...(approval && { approval }) };
    const isCardErased =
      card !== null && erasedCards(await erasureOf(storeWithin(this.store, deadline), streamOfOrder(view))).has(card.handle);
    const erased = isCardErased ? { isCardErased: true as const } : {};
    return { orderKind: kind, orderId, clientOrderId, endpointId, ...known, ...erased, customer, end: endOf(view) };
  }

  private async ofMerchant(
    merchant: MerchantLogin,
    stream: StreamName,
    deadline: Deadline | undefined,
  ): Promise<OrderStatusView | undefined> {
    const row = await this.rowSoon(merchant, stream, deadline);
    const view = row && (await this.onto(row, stream, deadline));
    return view ?? this.wholeOf(stream, deadline);
  }

  private rowSoon(merchant: MerchantLogin, stream: StreamName, deadline: Deadline | undefined): Promise<OrderStatusRecord | undefined> {
    const soon = new EndableDeadline();
    const forget = deadline?.whenOver(() => soon.end());
    return new Promise((resolve) => {
      let isLate = false;
      const goWithout = (error: unknown): void => {
        this.onRowUnread(error);
        resolve(undefined);
      };
      const timer = this.scheduler.after(ROW_WAIT_MS, () => {
        isLate = true;
        soon.end();
        goWithout(new Error(`the read model did not answer within ${ROW_WAIT_MS} ms`));
      });
      this.rows
        .byStream(merchant, stream, soon)
        // A failure after the wait has already been reported as a silence.
        .then(resolve, (error: unknown) => isLate || goWithout(error))
        .finally(() => {
          timer.cancel();
          forget?.();
        });
    });
  }

  /**
   * Undefined where the stream does not hold what the row was folded from, because the log lost its end since.
   * @throws BrokenChain
   */
  private async onto(
    { view, revision }: OrderStatusRecord,
    stream: StreamName,
    deadline: Deadline | undefined,
  ): Promise<OrderStatusView | undefined> {
    let folded: OrderStatusView | undefined;
    for await (const stored of readChained(storeWithin(this.store, deadline), stream, revision)) {
      folded = folded === undefined ? view : foldOrderStatus(folded, logEventOf(stored, decode(stored)));
    }
    return folded;
  }

  private async wholeOf(
    stream: StreamName,
    deadline: Deadline | undefined,
    upTo?: OrderReadOptions['upTo'],
  ): Promise<OrderStatusView | undefined> {
    let view: OrderStatusView | undefined;
    for await (const stored of readChained(storeWithin(this.store, deadline), stream)) {
      view = foldOrderStatus(view, logEventOf(stored, decode(stored)));
      if (upTo?.(stored) === true) break;
    }
    return view;
  }
}

/** Only a gate's approval has a code; what a person approved tells nothing of the card. */
const approvalIn = ({ status, gate, attemptKey, receipt, approvalCode }: OrderStatusView): GateApproval | undefined =>
  status === 'approved' && gate !== null && attemptKey !== null && receipt !== null && approvalCode !== null
    ? gateApproval(gate.alias, attemptKey, receipt)
    : undefined;

const endOf = ({ status, code }: OrderStatusView): OrderFact['end'] => {
  switch (status) {
    case 'approved':
      return { kind: 'approved' };
    case 'declined':
    case 'filtered':
    case 'error':
      if (code === null) throw new Error(`an order is ${status} without a code`);
      return { kind: 'refused', status, code };
    case 'processing':
    case 'unknown':
    case 'chain_declined':
      return { kind: 'open' };
    default:
      return unreachable(status);
  }
};
