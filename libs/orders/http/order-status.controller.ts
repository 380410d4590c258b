import { type BeforeApplicationShutdown, Controller, Inject } from '@nestjs/common';
import { addMs, sleep, type Clock, type Deadline, type MerchantLogin, type Scheduler, isOrderId, type ClientOrderId } from '@app/kernel';
import type { Merchant } from '@app/configuration';
import type { OrderStatusView } from '@app/read-models';
import type { OrderStatusRequest, OrderStatusV4Request } from '@app/gateway-protocol';
import type { CurrentOrderReader } from '@app/read-models/queries';
import { type AdmittedRequest, refused, type Answer, type Translation, Admitted, GroupAOperation, type Serves } from '@app/http/group-a';
import { isOffered } from './order-intake';
import type { OrderStatusAnswer } from './order-status.answer';

/** Status requests of older orders are answered at once. */
const NEW_ORDER_MS = 2_000;
/** Further requests are answered at once. Each merchant gets only a share. */
const WAITING_MAX = 256;
const WAITING_OF_MERCHANT_MAX = 64;
const GAP_MIN_MS = 50;
const GAP_MAX_MS = 200;

const isSame = (a: OrderStatusView, b: OrderStatusView): boolean =>
  a.status === b.status && a.stage === b.stage && a.payer?.attemptKey === b.payer?.attemptKey;

/** Holds a status request until a new order changes, for clients that ask once for the page of 3-D Secure (protocol decisions, section 12). */
export class NextChange implements BeforeApplicationShutdown {
  #waiting = 0;
  readonly #waitingOf = new Map<MerchantLogin, number>();
  #isStopping = false;

  constructor(private readonly ports: { readonly clock: Clock; readonly scheduler: Scheduler }) {}

  beforeApplicationShutdown(): void {
    this.#isStopping = true;
  }

  async of(
    view: OrderStatusView,
    {
      merchant: { login, statusWaitMs },
      deadline,
      read,
    }: {
      readonly merchant: Pick<Merchant, 'login' | 'statusWaitMs'>;
      readonly deadline: Deadline | undefined;
      readonly read: () => Promise<OrderStatusView | undefined>;
    },
  ): Promise<OrderStatusView> {
    const { clock, scheduler } = this.ports;
    const startedAt = clock.now();
    const isNew = view.status === 'processing' && startedAt < addMs(view.acceptedAt, NEW_ORDER_MS);
    if (statusWaitMs === 0 || !isNew || !this.#hasRoom(login)) return view;
    this.#count(login, 1);
    try {
      let current = view;
      let gapMs = GAP_MIN_MS;
      // Counted in gaps, so that a clock that is set back prolongs no wait; also by the clock, because reads take time.
      for (let waitedMs = 0; waitedMs < statusWaitMs && clock.now() < addMs(startedAt, statusWaitMs); waitedMs += gapMs) {
        gapMs = Math.min(waitedMs === 0 ? GAP_MIN_MS : 2 * gapMs, GAP_MAX_MS, statusWaitMs - waitedMs);
        await sleep(scheduler, gapMs);
        if (this.#isStopping || deadline?.isOver === true) break;
        current = (await read()) ?? current;
        if (!isSame(view, current)) break;
      }
      return current;
    } finally {
      this.#count(login, -1);
    }
  }

  #hasRoom(login: MerchantLogin): boolean {
    return this.#waiting < WAITING_MAX && (this.#waitingOf.get(login) ?? 0) < WAITING_OF_MERCHANT_MAX;
  }

  #count(login: MerchantLogin, change: 1 | -1): void {
    this.#waiting += change;
    this.#waitingOf.set(login, (this.#waitingOf.get(login) ?? 0) + change);
  }
}

type Message = OrderStatusRequest | OrderStatusV4Request;

/** One translation for both versions, whose fields are the same (interface, section 2.5). */
export class OrderStatusTranslation implements Translation<Message> {
  constructor(
    private readonly orders: CurrentOrderReader,
    private readonly statusAnswer: OrderStatusAnswer,
    private readonly nextChange: NextChange,
  ) {}

  async perform({ operation, message, entryPoint, merchant, serial, deadline }: AdmittedRequest<Message>): Promise<Answer> {
    if (!isOffered(entryPoint, operation)) return refused('operation-not-supported');
    const clientOrderId = message.client_orderid as ClientOrderId;
    let view: OrderStatusView | undefined;
    if (message.orderid === undefined) {
      const named = await this.orders.findAll(merchant.login, clientOrderId, deadline);
      if (named.length > 1) return refused('malformed-field', 'orderid: is required, for client_orderid names orders of two kinds');
      [view] = named;
    } else if (isOrderId(message.orderid)) {
      view = await this.orders.find(merchant.login, clientOrderId, message.orderid, deadline);
    }
    if (view === undefined) return refused('unknown-order');
    const askedSerial = message['by-request-sn'];
    if (askedSerial !== undefined && !view.requests.some((request) => request.serial === askedSerial)) {
      return refused('malformed-field', 'by-request-sn: names no request that made or changed this order');
    }
    const { orderId } = view;
    const read = () => this.orders.find(merchant.login, clientOrderId, orderId, deadline);
    const current = await this.nextChange.of(view, { merchant, deadline, read });
    return { kind: 'answer', pairs: await this.statusAnswer.pairs(current, merchant, { serial, askedSerial, deadline }) };
  }
}

@Controller('api')
export class OrderStatusController implements Serves<'status' | 'statusV4'> {
  constructor(@Inject(OrderStatusTranslation) private readonly translation: OrderStatusTranslation) {}

  @GroupAOperation('status')
  status(@Admitted() request: AdmittedRequest<OrderStatusRequest>): Promise<Answer> {
    return this.translation.perform(request);
  }

  @GroupAOperation('statusV4')
  statusV4(@Admitted() request: AdmittedRequest<OrderStatusV4Request>): Promise<Answer> {
    return this.translation.perform(request);
  }
}
