import { parseUrl, sleep, type AttemptKey, type Deadline, type Scheduler } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { RequestDeadlines, StreamName } from '@app/event-store';
import { autoSubmittingPage, callbackControl, messagePage } from '@app/gateway-protocol';
import type { Accounts, Merchant } from '@app/configuration';
import { SEALED_FIELDS, type OrderDetails } from '@app/order-processing/domain';
import { orderTexts, isStoreAway, type ReturnPayer } from '@app/order-processing';
import type { OrderStatusView } from '@app/projections';
import type { CurrentOrderReader } from '@app/order-queries';
import { payerPage } from './authentication-page';

/** How long the answer to the password waits for the final state (protocol decisions, section 7). */
export const FINAL_STATE_WAIT_MS = 5_000;
/**
 * When who brings no key of the order hears so. Its stream's name can be made by anybody from login and client_orderid, and reading it takes the longer the
 * more there is: at a set time the answer does not tell whether a merchant has such an order (safety, T10).
 */
export const UNKNOWN_AFTER_MS = 100;
const LOOK_AGAIN_MS_MIN = 50;
const LOOK_AGAIN_MS_MAX = 500;
const RELOAD_SECONDS = 2;

export interface PayerJourneyPorts {
  readonly orders: CurrentOrderReader;
  readonly returnPayer: ReturnPayer;
  readonly sealer: OrderSealer;
  readonly accounts: Accounts;
  readonly scheduler: Scheduler;
  readonly deadlines: Pick<RequestDeadlines, 'within'>;
  readonly onError: (error: unknown, stream?: StreamName) => void;
}

/** An order that ended in error was neither approved nor refused: its payer goes where every payer goes (interface, section 2.4). */
const REDIRECT_BY_STATUS: ReadonlyMap<OrderStatusView['status'], keyof OrderDetails> = new Map([
  ['approved', 'redirectSuccessUrl'],
  ['declined', 'redirectFailUrl'],
  ['filtered', 'redirectFailUrl'],
] as const);

const isFinal = ({ finalAt }: OrderStatusView): boolean => finalAt !== null;

/** What a browser is shown, and after how many seconds it asks again while the order is open. */
export interface PayerPage {
  readonly html: string;
  readonly reloadSeconds?: number;
}

const ADDRESSES = ['redirectUrl', 'redirectSuccessUrl', 'redirectFailUrl'] as const satisfies readonly (keyof OrderDetails)[];

/** What the payer's browser sees of an order: on to the authentication, back from it, and on to the merchant. */
export class PayerJourney {
  constructor(private readonly ports: PayerJourneyPorts) {}

  /** Tells whoever runs the service of a page that could not be shown. */
  tell(error: unknown): void {
    this.ports.onError(error);
  }

  /** The page behind `redirect-to`; undefined where no attempt of this key is known. */
  start(stream: StreamName, key: AttemptKey): Promise<PayerPage | undefined> {
    return this.ports.deadlines.within(async (deadline) => {
      const view = await this.admitted(stream, key, deadline);
      if (view === undefined) return undefined;
      if (view.payer === null) return this.standing(view, deadline);
      const html = await payerPage(this.ports.sealer, { login: view.merchant, name: this.nameOf(view) }, view.payer.page, deadline);
      return html === undefined ? this.standing(view, deadline) : { html };
    });
  }

  /**
   * The answer to the password: the way on to the merchant once the order is final, else a page that looks again.
   * @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable: the payer's return may not be written down; brought again it is told once
   */
  returned(stream: StreamName, key: AttemptKey, brought: ReadonlyMap<string, string>): Promise<PayerPage | undefined> {
    return this.ports.deadlines.within((deadline) => this.backFrom(stream, key, brought, deadline));
  }

  /** The same page asked for again, by a browser that reloads. */
  look(stream: StreamName, key: AttemptKey): Promise<PayerPage | undefined> {
    return this.ports.deadlines.within(async (deadline) => {
      const view = await this.admitted(stream, key, deadline);
      return view === undefined ? undefined : this.standing(view, deadline);
    });
  }

  private async backFrom(
    stream: StreamName,
    key: AttemptKey,
    brought: ReadonlyMap<string, string>,
    deadline: Deadline,
  ): Promise<PayerPage | undefined> {
    if ((await this.admitted(stream, key, deadline)) === undefined) return undefined;
    const { scheduler, returnPayer, onError } = this.ports;
    let isOver = false;
    let giveUp: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (giveUp = resolve));
    const timer = scheduler.after(FINAL_STATE_WAIT_MS, () => {
      isOver = true;
      giveUp();
    });
    try {
      // What the gate says is recorded whether or not the payer waits for it.
      const told = returnPayer.payerReturned(stream, key, brought).then(
        () => undefined,
        (error: unknown) => {
          if (isStoreAway(error) && !isOver) return error;
          onError(error, stream);
          return undefined;
        },
      );
      const failure = await Promise.race([told, over]);
      if (failure instanceof Error) throw failure;
      for (let gapMs = LOOK_AGAIN_MS_MIN; ; gapMs = Math.min(2 * gapMs, LOOK_AGAIN_MS_MAX)) {
        const view = await this.known(stream, key, deadline);
        if (view === undefined) return undefined;
        if (isFinal(view) || isOver) return await this.standing(view, deadline);
        await Promise.race([sleep(scheduler, gapMs), over]);
      }
    } finally {
      timer.cancel();
    }
  }

  private async admitted(stream: StreamName, key: AttemptKey, deadline: Deadline): Promise<OrderStatusView | undefined> {
    let pass: () => void = () => undefined;
    const atSetTime = new Promise<void>((resolve) => (pass = resolve));
    const timer = this.ports.scheduler.after(UNKNOWN_AFTER_MS, pass);
    try {
      const view = await this.known(stream, key, deadline);
      if (view === undefined) await atSetTime;
      return view;
    } finally {
      timer.cancel();
    }
  }

  private async known(stream: StreamName, key: AttemptKey, deadline: Deadline): Promise<OrderStatusView | undefined> {
    const view = await this.ports.orders.ofStream(stream, { deadline });
    return view?.attemptKey === key ? view : undefined;
  }

  private nameOf({ merchant }: OrderStatusView): string {
    return this.ports.accounts.merchant(merchant)?.name ?? merchant;
  }

  private async standing(view: OrderStatusView, deadline: Deadline): Promise<PayerPage> {
    const name = this.nameOf(view);
    if (!isFinal(view)) {
      const message = 'The payment is being processed. This page loads itself again until it is done.';
      const link = { href: '', text: 'Look again' };
      return { html: messagePage({ title: 'Payment in progress', merchant: name, message, link }), reloadSeconds: RELOAD_SECONDS };
    }
    const details = await orderTexts(this.ports.sealer, view.merchant, SEALED_FIELDS.details, view.details, deadline);
    const outcome = REDIRECT_BY_STATUS.get(view.status);
    const action = (outcome && details.get(outcome)) ?? details.get('redirectUrl');
    const merchant = this.ports.accounts.merchant(view.merchant);
    const isApproved = view.status === 'approved';
    const title = isApproved ? 'Payment approved' : 'Payment not approved';
    const said = isApproved ? 'The payment was approved.' : 'The payment was not approved.';
    if (action === undefined || merchant === undefined) return { html: this.end(title, said, name, shopOf(merchant, details)) };
    const { status, orderId, clientOrderId } = view;
    const control = callbackControl({ status, orderId, clientOrderId }, merchant.controlKey);
    const fields = [
      ['status', status],
      ['orderid', orderId],
      ['merchant_order', clientOrderId],
      ['client_orderid', clientOrderId],
      ['control', control],
    ] as const;
    const message = `${said} You are being taken back to ${name}.`;
    return { html: autoSubmittingPage({ title, merchant: name, message, action, fields }) };
  }

  /** Where no address of the order says where its payer goes: to the shop where one is known, else the words say how. */
  private end(title: string, said: string, merchant: string, shop: string | undefined): string {
    if (shop !== undefined) return messagePage({ title, merchant, message: said, link: { href: shop, text: `Back to ${merchant}` } });
    return messagePage({ title, merchant, message: `${said} You can close this page and go back to ${merchant}.` });
  }
}

/** The shop of the configuration, or the site that any address of the order leads to. */
const shopOf = (merchant: Merchant | undefined, details: ReadonlyMap<string, string>): string | undefined => {
  if (merchant?.siteUrl !== undefined) return merchant.siteUrl;
  const address = ADDRESSES.map((name) => details.get(name)).find((text) => text !== undefined);
  return address === undefined ? undefined : parseUrl(address)?.origin;
};
