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
import type { OrderFact } from '@app/order-processing/domain';
import { deviceVerificationCodec } from '@app/device-verification';
import { paymentCodec } from '@app/payment';
import { foldOrderStatus, logEventOf, type OrderEvent, type OrderStatusRecord, type OrderStatusView } from '@app/projections';
import { recurringCodec } from '@app/recurring';
import { transferCodec } from '@app/transfer';
import { namedStream, streamsOfEachKind } from './order-stream';

/** Rows of the order-status read model; a row may lag, and may be missing. */
export interface OrderRows {
  byStream(merchant: MerchantLogin, stream: StreamName, deadline?: Deadline): Promise<OrderStatusRecord | undefined>;
}

/** How a stream is asked for an order. */
export interface OrderReadOptions {
  /** The last event that is folded. */
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

/** A read model that answers does so in a few milliseconds; its own time-outs, for a network that fell silent, would hold a status for seconds. */
const ROW_WAIT_MS = 500;

/**
 * An order as its stream has it at this moment: the read model's row, and what came after it folded on top with the same fold, so that who
 * asks gets the truth and not a read model's past (architecture, rule 10). The row only saves reading: while there is none to be had soon, or the log
 * does not hold what it was folded from, the whole stream is folded. Nothing is told of a stream whose chain is broken: BrokenChain is thrown. A deadline is
 * that of the request: once it is over nothing of the question is under way, and StoreUnavailable is thrown.
 */
export class CurrentOrderReader implements OrderFacts {
  constructor(
    private readonly store: EventStore,
    private readonly orderIds: Pick<OrderIds, 'kindOf'>,
    private readonly rows: OrderRows,
    private readonly scheduler: Scheduler,
    private readonly onRowUnread: (error: unknown) => void,
  ) {}

  /** Undefined where this merchant has no such order; a foreign one looks the same. */
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

  /** Of every kind that carries this client_orderid. */
  async findAll(merchant: MerchantLogin, clientOrderId: ClientOrderId, deadline?: Deadline): Promise<readonly OrderStatusView[]> {
    const views = await Promise.all(
      streamsOfEachKind(merchant, clientOrderId).map((stream) => this.ofMerchant(merchant, stream, deadline)),
    );
    return views.filter((view) => view !== undefined);
  }

  /** Without the read model: for whoever holds the stream's name and a secret of the order. */
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
    const cards = { ...(card && { card }), ...(mapped && { mapped }) };
    return { orderKind: kind, orderId, clientOrderId, endpointId, ...cards, customer, end: endOf(view) };
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
        // What comes of it later was told when it was late.
        .then(resolve, (error: unknown) => isLate || goWithout(error))
        .finally(() => {
          timer.cancel();
          forget?.();
        });
    });
  }

  /** Undefined where the stream does not hold what the row was folded from: the log lost its end since. @throws BrokenChain */
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
