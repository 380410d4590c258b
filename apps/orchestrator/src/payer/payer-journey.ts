import { sleep, type AttemptKey, type Clock, type Scheduler } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { StreamName } from '@app/event-store';
import { autoSubmittingPage, callbackControl, messagePage } from '@app/gateway-protocol';
import type { Accounts } from '@app/merchant-accounts';
import { SEALED_FIELDS, unpackTexts } from '@app/order-processing/domain';
import type { ReturnPayer } from '@app/order-processing';
import type { OrderStatusView } from '@app/projections';
import type { OrderTruth } from '../composition/order-truth';
import { payerPage } from '../group-a/order-status/order-status.answer';

/** How long the answer to the password waits for the final state (protocol decisions, section 7). */
export const FINAL_STATE_WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 50;
const RELOAD_SECONDS = 2;

export interface PayerJourneyPorts {
  readonly orders: OrderTruth;
  readonly returnPayer: ReturnPayer;
  readonly sealer: OrderSealer;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly onError: (error: unknown) => void;
}

const isFinal = ({ finalAt }: OrderStatusView): boolean => finalAt !== null;

/** What the payer's browser sees of an order: on to the authentication, back from it, and on to the merchant. */
export class PayerJourney {
  constructor(private readonly ports: PayerJourneyPorts) {}

  /** The page behind `redirect-to`; undefined where no attempt of this key is known. */
  async start(stream: StreamName, key: AttemptKey): Promise<string | undefined> {
    const view = await this.known(stream, key);
    if (view === undefined) return undefined;
    if (view.payer === null) return this.standing(view);
    return (await payerPage(this.ports.sealer, view.merchant, view.payer.page)) ?? this.standing(view);
  }

  /** The answer to the password: the way on to the merchant once the order is final, else a page that looks again. */
  async returned(stream: StreamName, key: AttemptKey, brought: ReadonlyMap<string, string>): Promise<string | undefined> {
    if ((await this.known(stream, key)) === undefined) return undefined;
    const { scheduler, clock, returnPayer, onError } = this.ports;
    let isTold = false;
    // What the gate says arrives whether or not the payer waits for it.
    const telling = returnPayer
      .payerReturned(stream, key, brought)
      .catch(onError)
      .then(() => {
        isTold = true;
      });
    await Promise.race([telling, sleep(scheduler, FINAL_STATE_WAIT_MS)]);
    const giveUpAt = clock.now() + (isTold ? FINAL_STATE_WAIT_MS : 0);
    for (;;) {
      const view = await this.known(stream, key);
      if (view === undefined) return undefined;
      if (isFinal(view) || clock.now() >= giveUpAt) return this.standing(view);
      await sleep(scheduler, LOOK_AGAIN_MS);
    }
  }

  /** The same page asked for again, by a browser that reloads. */
  async look(stream: StreamName, key: AttemptKey): Promise<string | undefined> {
    const view = await this.known(stream, key);
    return view === undefined ? undefined : this.standing(view);
  }

  private async known(stream: StreamName, key: AttemptKey): Promise<OrderStatusView | undefined> {
    const view = await this.ports.orders.ofStream(stream);
    return view?.attemptKey === key ? view : undefined;
  }

  private async standing(view: OrderStatusView): Promise<string> {
    if (!isFinal(view)) return messagePage({ title: 'Payment', message: 'The payment is being processed.', reloadSeconds: RELOAD_SECONDS });
    const packed = await this.ports.sealer.unseal(view.merchant, SEALED_FIELDS.details, view.details);
    const details = packed === undefined ? undefined : unpackTexts(packed);
    const byOutcome = details?.get(view.status === 'approved' ? 'redirectSuccessUrl' : 'redirectFailUrl');
    const action = byOutcome ?? details?.get('redirectUrl');
    const merchant = this.ports.accounts.merchant(view.merchant);
    if (action === undefined || merchant === undefined) {
      return messagePage({
        title: 'Payment',
        message: view.status === 'approved' ? 'The payment was approved.' : 'The payment was not approved.',
      });
    }
    const { status, orderId, clientOrderId } = view;
    const control = callbackControl({ status, orderId, clientOrderId }, merchant.controlKey);
    const fields = [
      ['status', status],
      ['orderid', orderId],
      ['merchant_order', clientOrderId],
      ['client_orderid', clientOrderId],
      ['control', control],
    ] as const;
    return autoSubmittingPage({ title: 'Back to the merchant', action, fields });
  }
}
