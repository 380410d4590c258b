import { sleep, type AttemptKey, type Deadline, type Scheduler } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { RequestDeadlines, StreamName } from '@app/event-store';
import type { Accounts } from '@app/configuration';
import type { OrderStatusView } from '@app/read-models';
import type { CurrentOrderReader } from '@app/read-models/queries';
import { isStoreAway } from '../../application/order-work-failed';
import type { ReturnPayer } from '../../application/work/return-payer';
import { authenticationPage, isFinal, merchantNameOf, orderPage, type PayerPage } from './order-page';

/** How long a returning payer waits for the final state (protocol decisions, D7.2). */
export const FINAL_STATE_WAIT_MS = 5_000;
/**
 * Fixed delay of an answer without the attempt key. Stream names can be guessed and real orders take longer to read, so an earlier answer would
 * reveal an order (safety, T10).
 */
export const UNKNOWN_AFTER_MS = 100;
const POLL_GAP_MIN_MS = 50;
const POLL_GAP_MAX_MS = 500;

export interface PayerJourneyPorts {
  readonly orders: CurrentOrderReader;
  readonly returnPayer: ReturnPayer;
  readonly sealer: OrderSealer;
  readonly accounts: Accounts;
  readonly scheduler: Scheduler;
  readonly deadlines: Pick<RequestDeadlines, 'within'>;
  readonly onError: (error: unknown, stream?: StreamName) => void;
  readonly onPassage: (passage: PayerPassage, order: OrderStatusView) => void;
}

export type PayerPassage = 'payer-start' | 'payer-return';

/** The payer's pages on the way to the authentication and back. A page is undefined if the order or the attempt key is unknown. */
export class PayerJourney {
  constructor(private readonly ports: PayerJourneyPorts) {}

  reportFailure(error: unknown): void {
    this.ports.onError(error);
  }

  startAuthentication(stream: StreamName, key: AttemptKey): Promise<PayerPage | undefined> {
    return this.ports.deadlines.within(async (deadline) => {
      const { accounts, sealer } = this.ports;
      const view = await this.orderAtSetTime(stream, key, deadline);
      if (view === undefined) return undefined;
      this.ports.onPassage('payer-start', view);
      if (view.payer === null) return orderPage(this.ports, view, deadline);
      const merchant = { login: view.merchant, name: merchantNameOf(accounts, view) };
      return (await authenticationPage(sealer, { merchant, sealed: view.payer.page, deadline })) ?? orderPage(this.ports, view, deadline);
    });
  }

  /**
   * Shows the order once it is final, or after the wait.
   * @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable if the return may not be recorded; a repeat is recorded once
   */
  completeAuthentication(stream: StreamName, key: AttemptKey, form: ReadonlyMap<string, string>): Promise<PayerPage | undefined> {
    return this.ports.deadlines.within((deadline) => this.recordReturnAndShow(stream, key, form, deadline));
  }

  showOrder(stream: StreamName, key: AttemptKey): Promise<PayerPage | undefined> {
    return this.ports.deadlines.within(async (deadline) => {
      const view = await this.orderAtSetTime(stream, key, deadline);
      return view === undefined ? undefined : orderPage(this.ports, view, deadline);
    });
  }

  private async recordReturnAndShow(
    stream: StreamName,
    key: AttemptKey,
    form: ReadonlyMap<string, string>,
    deadline: Deadline,
  ): Promise<PayerPage | undefined> {
    const { scheduler, onPassage } = this.ports;
    const order = await this.orderAtSetTime(stream, key, deadline);
    if (order === undefined) return undefined;
    onPassage('payer-return', order);
    const wait = new Wait(scheduler, FINAL_STATE_WAIT_MS);
    try {
      const failure = await Promise.race([this.recordReturn(stream, key, form, wait), wait.over]);
      if (failure instanceof Error) throw failure;
      for (let gapMs = POLL_GAP_MIN_MS; ; gapMs = Math.min(2 * gapMs, POLL_GAP_MAX_MS)) {
        const view = await this.orderByKey(stream, key, deadline);
        if (view === undefined) return undefined;
        if (isFinal(view) || wait.isOver) return await orderPage(this.ports, view, deadline);
        await Promise.race([sleep(scheduler, gapMs), wait.over]);
      }
    } finally {
      wait.cancel();
    }
  }

  /**
   * The gate's answer is recorded even if the payer no longer waits.
   * @returns the failure after which the payer must send the return again
   */
  private async recordReturn(stream: StreamName, key: AttemptKey, form: ReadonlyMap<string, string>, wait: Wait): Promise<unknown> {
    const { returnPayer, onError } = this.ports;
    try {
      await returnPayer.payerReturned(stream, key, form);
    } catch (error) {
      if (isStoreAway(error) && !wait.isOver) return error;
      onError(error, stream);
    }
    return undefined;
  }

  private async orderAtSetTime(stream: StreamName, key: AttemptKey, deadline: Deadline): Promise<OrderStatusView | undefined> {
    const wait = new Wait(this.ports.scheduler, UNKNOWN_AFTER_MS);
    try {
      const view = await this.orderByKey(stream, key, deadline);
      if (view === undefined) await wait.over;
      return view;
    } finally {
      wait.cancel();
    }
  }

  private async orderByKey(stream: StreamName, key: AttemptKey, deadline: Deadline): Promise<OrderStatusView | undefined> {
    const view = await this.ports.orders.ofStream(stream, { deadline });
    return view?.attemptKey === key ? view : undefined;
  }
}

class Wait {
  readonly over: Promise<void>;
  readonly cancel: () => void;
  #isOver = false;

  constructor(scheduler: Scheduler, ms: number) {
    let end: () => void = () => undefined;
    this.over = new Promise((resolve) => (end = resolve));
    const timer = scheduler.after(ms, () => {
      this.#isOver = true;
      end();
    });
    this.cancel = () => timer.cancel();
  }

  get isOver(): boolean {
    return this.#isOver;
  }
}
