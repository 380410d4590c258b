import type { Random } from '@app/kernel';
import type { CallbackReceiver } from '../../merchants/callback-receiver';
import type { PublicSide } from '../../http/http-client';
import type { Answer, Merchant } from '../../merchants/merchant';
import type { Fields } from '../../merchants/signed-requests';
import { Payer } from '../../merchants/payer';
import { until } from '../../until';
import type { ClientFollowUp } from './client-follow-up';
import { ClientOrder } from './client-order';
import type { ClientRecord } from './client-record';
import type { LoadKind } from './load';

/** The password that the simulator's page accepts (protocol decisions, section 9). */
const PASSWORD = 'hint';
interface PayerPatience {
  readonly timeoutMs: number;
  readonly leaveAfterMs?: number;
}
/** An order whose CVV was lost in a kill stays open for a minute. Under load the clients do not wait that long. */
const UNDER_LOAD: PayerPatience = { timeoutMs: 20_000, leaveAfterMs: 10_000 };
const FINAL_WAIT_MS = 40_000;
/** Orders still open after this time are polled later, because their process may be dead. */
const FOLLOW_SOON_MS = 2_000;
const REPEATS_AT_ONCE_MAX = 16;
/** A server may close an idle connection just as the client reuses it. */
const TRIES_MAX = 3;

const CONNECTION_FAILURE = /^(ECONNREFUSED|ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT|UND_ERR_DESTROYED)$/;

/** The service ended before it answered. Only a killed process may do this to its clients. */
export const isAnswerLost = (error: unknown): boolean => {
  // `instanceof` fails here: Node's own errors come from another realm.
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return (typeof code === 'string' && CONNECTION_FAILURE.test(code)) || (cause !== undefined && isAnswerLost(cause));
};

export class Clients {
  readonly orders: ClientOrder[] = [];
  readonly #payer: Payer;

  constructor(
    service: PublicSide,
    private readonly merchant: Merchant,
    private readonly receiver: CallbackReceiver,
    private readonly cardRefId: string,
    private readonly random: Random,
  ) {
    this.#payer = new Payer(service);
  }

  async placeAll(kinds: readonly LoadKind[], bornIn: string): Promise<boolean> {
    const shuffled = kinds.map((kind) => ({ kind, at: this.random.fraction() })).sort((a, b) => a.at - b.at);
    return allAnswered(shuffled.map(({ kind }) => this.place(kind, bornIn)));
  }

  /** Places the order, then sends the payer or asks once for the status. If a follow-up is planned, polls until it is possible. */
  async place(kind: LoadKind, bornIn: string): Promise<ClientOrder> {
    const order = this.newOrder(kind, bornIn);
    await this.send(order);
    if (kind.needsPayer && !kind.isPayerLate) await this.sendPayer(order, UNDER_LOAD);
    else if (order.isAcknowledged) await this.look(order);
    if (order.isAcknowledged && kind.followUps.length > 0) {
      const enoughAt = performance.now() + FOLLOW_SOON_MS;
      await until(() => this.look(order).then(() => isOver(order) || performance.now() > enoughAt), {
        what: `word of ${order.clientOrderId}, before which nothing follows`,
      });
      await this.follow(order);
    }
    return order;
  }

  /**
   * Repeats unanswered requests and sends follow-ups that are possible now.
   * @returns whether every request was answered
   */
  repeatUnanswered(): Promise<boolean> {
    const orders = this.orders.filter(({ isAcknowledged }) => !isAcknowledged).map((order) => this.send(order));
    const followed = this.orders.filter(({ followUps }) => followUps.some(({ isAcknowledged }) => !isAcknowledged));
    return allAnswered([...orders, ...followed.map((order) => this.followIfApproved(order))]);
  }

  /**
   * Repeats every request: an answered one must get the same order id or serial.
   * @throws Error if the service is away
   */
  async repeatAll(): Promise<void> {
    await inTurns(this.orders, (order) => insisting(() => this.send(order)));
    await inTurns(
      this.orders.filter(({ followUps }) => followUps.some(({ isAcknowledged }) => isAcknowledged)),
      (order) => insisting(() => this.follow(order, 'repeated')),
    );
    const unanswered = this.orders.filter(({ isAcknowledged }) => !isAcknowledged);
    if (unanswered.length > 0)
      throw new Error(`repeated, and not acknowledged: ${unanswered.map(({ clientOrderId }) => clientOrderId).join(', ')}`);
  }

  /**
   * Polls orders and follow-ups until they are final.
   * @throws Error if one is not final in time, 40 s by default
   */
  async awaitFinal(timeoutMs = FINAL_WAIT_MS): Promise<void> {
    await Promise.all(
      this.orders.map(async (order) => {
        if (order.final === undefined) await this.awaitEnd(order, timeoutMs);
        await this.followToTheEnd(order, timeoutMs);
      }),
    );
    await inTurns(this.orders, async (order) => {
      await insisting(() => this.look(order));
      for (const followUp of order.followUps) if (followUp.isAcknowledged) await insisting(() => this.lookAt(order, followUp));
    });
  }

  private async awaitEnd(order: ClientOrder, timeoutMs: number): Promise<void> {
    if (order.kind.needsPayer) await insisting(() => this.sendPayer(order, { timeoutMs }));
    let seen: Answer['fields'] | undefined;
    await until(
      async () => {
        seen = await insisting(() => this.look(order));
        return isOver(order);
      },
      {
        what: `a final status of ${order.clientOrderId} (${order.kind.name}, ${order.bornIn})`,
        timeoutMs,
        seen: () => seen,
      },
    );
  }

  private async followToTheEnd(order: ClientOrder, timeoutMs: number): Promise<void> {
    if (order.final?.status !== 'approved') return;
    await Promise.all(
      order.followUps.map((followUp) =>
        until(
          async () => {
            if (followUp.isAcknowledged) await insisting(() => this.lookAt(order, followUp));
            else await insisting(() => this.sendFollowUp(order, followUp));
            return isOver(followUp);
          },
          { what: `the end of ${followUp.key} (${order.kind.name}, ${order.bornIn})`, timeoutMs },
        ),
      ),
    );
  }

  private async followIfApproved(order: ClientOrder): Promise<void> {
    if (order.isAcknowledged && order.final === undefined) await this.look(order);
    await this.follow(order);
  }

  private async follow(order: ClientOrder, which: 'new' | 'repeated' = 'new'): Promise<void> {
    if (order.final?.status !== 'approved') return;
    const asked = order.followUps.filter(({ isAcknowledged }) => isAcknowledged === (which === 'repeated'));
    await Promise.all(asked.map((followUp) => this.sendFollowUp(order, followUp)));
  }

  private async sendFollowUp(order: ClientOrder, followUp: ClientFollowUp): Promise<void> {
    const { operation, fields } = followUp.kind;
    const sending = { headers: { 'idempotency-key': followUp.key } };
    followUp.takeAnswer(order.orderId, await this.merchant.followUp(operation, order, fields, sending));
  }

  private async lookAt(order: ClientOrder, followUp: ClientFollowUp): Promise<void> {
    followUp.takeStatus(order.orderId, (await this.merchant.status(order, { 'by-request-sn': followUp.serial })).fields);
  }

  private newOrder(kind: LoadKind, bornIn: string): ClientOrder {
    const clientOrderId = `${bornIn.replace(/[^A-Za-z0-9]+/g, '-')}-${this.orders.length + 1}`;
    const paths = new ClientOrder(kind, clientOrderId, {}, bornIn);
    const notifies: Fields = {
      ...(kind.notifies !== 'none' && { server_callback_url: this.receiver.url(paths.callbackPath) }),
      ...(kind.notifies === 'callback-and-notify' && { notify_url: this.receiver.url(paths.notifyPath) }),
    };
    const fields = { client_orderid: clientOrderId, merchant_data: `data of ${clientOrderId}`, ...kind.fields, ...notifies };
    const request =
      kind.operation === 'rebill'
        ? this.merchant.signedRebill(this.merchant.rebillFields(this.cardRefId, fields), kind.at)
        : this.merchant.signedSale(this.merchant.saleFields(fields), kind.at);
    const order = new ClientOrder(kind, clientOrderId, request, bornIn);
    this.orders.push(order);
    return order;
  }

  private async send(order: ClientOrder): Promise<void> {
    const { operation, at } = order.kind;
    order.takeAnswer(await this.merchant.post(operation === 'rebill' ? 'make-rebill-sale' : operation, order.request, { at }));
  }

  private async look(order: ClientOrder): Promise<Answer['fields']> {
    const { fields } = await this.merchant.status(order);
    order.takeStatus(fields);
    return fields;
  }

  private async sendPayer(order: ClientOrder, { timeoutMs, leaveAfterMs = Infinity }: PayerPatience): Promise<void> {
    if (!order.isAcknowledged) return;
    const leaveAt = performance.now() + leaveAfterMs;
    const fields = await until(
      async () => {
        const seen = await this.look(order);
        const stage = seen['order-stage'];
        const isPayerBack = stage === 'sale_3d_validated' || stage === 'sale_processing';
        const isKnown = seen['redirect-to'] !== undefined || order.final !== undefined || isPayerBack;
        return (isKnown || performance.now() > leaveAt) && seen;
      },
      { what: `the payer's way of ${order.clientOrderId}`, timeoutMs },
    );
    const way = fields['redirect-to'];
    if (way === undefined) return;
    const { status, body } = await this.#payer.authenticate(way, PASSWORD);
    if (status !== 200) order.faults.push(`its payer came back and was answered ${status}: ${body}`);
  }
}

const isOver = ({ final, faults }: ClientRecord): boolean => final !== undefined || faults.length > 0;

const insisting = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES_MAX || !isAnswerLost(error)) throw error;
    }
  }
};

/**
 * @returns false if an answer was lost with the process
 * @throws any other failure
 */
const allAnswered = async (askings: readonly Promise<unknown>[]): Promise<boolean> => {
  const results = await Promise.allSettled(askings);
  const failures = results.flatMap((result): readonly unknown[] => (result.status === 'rejected' ? [result.reason as unknown] : []));
  for (const failure of failures) if (!isAnswerLost(failure)) throw failure;
  return failures.length === 0;
};

const inTurns = async <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> => {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: REPEATS_AT_ONCE_MAX }, worker));
};
