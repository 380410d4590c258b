import type {
  SaleStatusResponse,
  TransferStatusResponse,
  VerificationStatusResponse,
  TransferFee,
  PerformCause,
  StatusCause,
} from '@app/gateway-protocol';
import { addMs, sleep, type Instant } from '@app/kernel';
import type { Invoice, Transaction } from './device-order';
import { isPassing, type Failure, type Outcome } from './outcome';
import type { CompleteSettings } from './settings';

/** The status of a transaction at the gateway (interface, sections 3.2 and 4.7). */
export type DeviceStatus = VerificationStatusResponse | SaleStatusResponse | TransferStatusResponse;

/** The app's callbacks while a transaction runs. An error thrown by one ends the run and is rethrown. */
export interface TransactionListener {
  onInvoice?(invoice: Invoice): void;
  onAccepted?(transaction: Transaction): void;
  onStatus?(status: DeviceStatus): void;
  /** Called once for each page that the payer must open. The next status request waits for the returned promise. */
  onRedirect?(url: string): void | Promise<void>;
  /** Chooses one of the offered fees. If none is chosen, the gateway ends the transfer at its time limit without a charge. */
  chooseFee?(fees: readonly TransferFee[]): TransferFee | undefined | Promise<TransferFee | undefined>;
}

/** Maximum attempts of an unacknowledged choice of fee; the gateway accepts it once. */
const COMPLETE_TRIES_MAX = 5;
/** Stops following a gateway that repeats its states forever. */
const STATE_CHANGES_MAX = 20;

export type FollowEnding =
  | { readonly kind: 'final'; readonly status: DeviceStatus }
  /** No outcome within the time limit: another `follow` continues. */
  | { readonly kind: 'still-open'; readonly status?: DeviceStatus; readonly failure?: Failure }
  | { readonly kind: 'fee-not-chosen'; readonly fees: readonly TransferFee[] }
  | Failure<StatusCause | PerformCause>;

interface Asking {
  status(transaction: Transaction): Promise<Outcome<DeviceStatus, StatusCause>>;
  complete(transaction: Transaction, assignedId: string): Promise<Outcome<Transaction, PerformCause>>;
}

class Following {
  #status: DeviceStatus | undefined;
  #failure: Failure | undefined;
  #deadline: Instant;
  #stateChanges = 0;
  #lastRedirect: string | undefined;
  #feeChosen: TransferFee | undefined;
  #completeTries = 0;
  #choiceRefused: Failure<PerformCause> | undefined;

  constructor(
    private readonly session: Asking,
    private readonly transaction: Transaction,
    private readonly watcher: TransactionListener,
    private readonly settings: CompleteSettings,
  ) {
    this.#deadline = addMs(settings.clock.now(), settings.cadence.limitMs);
  }

  async untilEnd(): Promise<FollowEnding> {
    for (;;) {
      // Waits before the first request too: the check at the merchant server takes longer than this.
      await this.#gap();
      const asked = await this.session.status(this.transaction);
      const ending = asked.kind === 'answered' ? await this.#answered(asked.value) : this.#failed(asked);
      if (ending !== undefined) return ending;
      if (this.settings.clock.now() >= this.#deadline || this.#stateChanges > STATE_CHANGES_MAX) return this.#stillOpen();
    }
  }

  #gap(): Promise<void> {
    const { cadence, random, scheduler } = this.settings;
    return sleep(scheduler, cadence.gapMsMin + Math.floor(random.fraction() * (cadence.gapMsMax - cadence.gapMsMin + 1)));
  }

  /** Only a passing failure allows another request; any other refusal is final. */
  #failed(failure: Failure<StatusCause>): FollowEnding | undefined {
    this.#failure = failure;
    return isPassing(failure) ? undefined : failure;
  }

  async #answered(status: DeviceStatus): Promise<FollowEnding | undefined> {
    if (status.state !== this.#status?.state) this.#entered(status);
    this.#status = status;
    this.#failure = undefined;
    this.watcher.onStatus?.(status);
    switch (status.state) {
      case 'APPROVED':
      case 'DECLINED':
        return { kind: 'final', status };
      case 'REDIRECT_REQUEST':
        await this.#redirect(status.redirectUrl ?? '');
        return undefined;
      case 'TRANSFER_FEE_REQUEST':
        return this.#completed('transferFeeList' in status ? (status.transferFeeList ?? []) : []);
      case 'PROCESSING':
        return undefined;
    }
  }

  #entered({ state }: DeviceStatus): void {
    const { limitMs, payerLimitMs } = this.settings.cadence;
    this.#stateChanges += 1;
    this.#deadline = addMs(this.settings.clock.now(), state === 'REDIRECT_REQUEST' ? payerLimitMs : limitMs);
  }

  async #redirect(url: string): Promise<void> {
    if (url === this.#lastRedirect) return;
    this.#lastRedirect = url;
    await this.watcher.onRedirect?.(url);
  }

  async #choice(fees: readonly TransferFee[]): Promise<TransferFee | undefined> {
    const chosen = await this.watcher.chooseFee?.(fees);
    if (chosen !== undefined && !fees.includes(chosen)) throw new RangeError('the chosen fee was not offered');
    return chosen;
  }

  async #completed(fees: readonly TransferFee[]): Promise<FollowEnding | undefined> {
    if (this.#choiceRefused !== undefined) return this.#choiceRefused;
    this.#feeChosen ??= await this.#choice(fees);
    const chosen = this.#feeChosen;
    if (chosen === undefined) return { kind: 'fee-not-chosen', fees };
    this.#completeTries += 1;
    const answer = await this.session.complete(this.transaction, chosen.assignedId);
    if (answer.kind === 'answered') return undefined;
    this.#failure = answer;
    if (isPassing(answer)) return this.#completeTries < COMPLETE_TRIES_MAX ? undefined : answer;
    // The request may have been doubled on the wire, so the refused one may be a duplicate: the next status decides.
    this.#choiceRefused = answer;
    return undefined;
  }

  #stillOpen(): FollowEnding {
    return {
      kind: 'still-open',
      ...(this.#status !== undefined && { status: this.#status }),
      ...(this.#failure !== undefined && { failure: this.#failure }),
    };
  }
}

export const follow = (
  session: Asking,
  transaction: Transaction,
  watcher: TransactionListener,
  settings: CompleteSettings,
): Promise<FollowEnding> => new Following(session, transaction, watcher, settings).untilEnd();
