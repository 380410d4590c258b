import {
  AcceptedResponse,
  ClientIdsResponse,
  gatewayPath,
  InitiateResponse,
  InitiateTransferResponse,
  MerchantErrorResponse,
  merchantPath,
  PerformErrorResponse,
  RandomSumResponse,
  SaleStatusResponse,
  SESSION_TEXT_LENGTH_MIN,
  StatusErrorResponse,
  TransferStatusResponse,
  VerificationStatusResponse,
  type DeviceErrorCause,
  type MerchantCause,
  type PerformCause,
  type StatusCause,
  holdsCardNumber,
} from '@app/gateway-protocol';
import { sleep, type Secret } from '@app/kernel';
import type { DeviceOrder, Invoice, Transaction } from './device-order';
import { type DeviceStatus, follow, type FollowEnding, type TransactionListener } from './follow';
import { isPassing, type Failure, type Outcome } from './outcome';
import { readAnswer, type AnswerClasses } from './read-answer';
import { initiateBody, performBody } from './request-bodies';
import type { CompleteSettings } from './settings';

const VEIL = '[redacted]';

const numbersOf = (order: DeviceOrder): readonly string[] => {
  const cards = [
    order.operation === 'verification' ? order.card : 'card' in order.source ? order.source.card : undefined,
    order.operation === 'transfer' && 'card' in order.destination ? order.destination.card : undefined,
  ];
  return cards.flatMap((card) => (card === undefined ? [] : [card.number.reveal()]));
};

/** Removes an echoed card number from a refusal, because apps log refusals (safety, T32). */
const withoutCardNumbers = <Answered extends Outcome<unknown>>(outcome: Answered, order: DeviceOrder): Answered => {
  if (outcome.kind !== 'refused') return outcome;
  const isEcho = (text: string): boolean => numbersOf(order).some((number) => holdsCardNumber(text, number));
  const redacted = (text: string): string => (isEcho(text) ? VEIL : text);
  return { ...outcome, code: redacted(outcome.code), message: redacted(outcome.message) };
};

const INVOICES = { verification: InitiateResponse, sale: InitiateResponse, transfer: InitiateTransferResponse } as const;
const STATUSES = { verification: VerificationStatusResponse, sale: SaleStatusResponse, transfer: TransferStatusResponse } as const;
/** Delays before a perform with a lost answer is sent again, unchanged. */
const REPEAT_AFTER_MS = [1_000, 3_000] as const;

/** Placeholders for values that the merchant server has not sent yet. */
const PLACEHOLDERS = { nonce: '-'.repeat(SESSION_TEXT_LENGTH_MIN), signature: '-'.repeat(SESSION_TEXT_LENGTH_MIN) };

const ofInvoice =
  (invoiceId: string) =>
  (answer: { readonly invoiceId: string }): string | undefined =>
    answer.invoiceId === invoiceId ? undefined : 'invoiceId is not that of the request';

const ofTransaction = ({ invoiceId, token }: Transaction) => {
  const faultOfInvoice = ofInvoice(invoiceId);
  return (answer: { readonly invoiceId: string; readonly session: { readonly token: string } }): string | undefined =>
    faultOfInvoice(answer) ?? (answer.session.token === token ? undefined : 'session.token is not that of the request');
};

/** One consumer on one device, with an access token (interface, section 5.3). */
export class DeviceSession {
  constructor(
    private readonly settings: CompleteSettings,
    private readonly accessToken: Secret<string>,
  ) {}

  /**
   * Asks the merchant server to open an invoice (interface, section 4.4); after a lost answer, the next attempt opens another.
   * An order that the gateway would reject opens none.
   */
  async initiate(order: DeviceOrder): Promise<Outcome<Invoice, MerchantCause>> {
    const { operation } = order;
    const later = performBody(this.settings.device, order, PLACEHOLDERS, this.accessToken.reveal());
    if (later.kind !== 'encoded') return later;
    const encoded = initiateBody(this.settings.device, order, this.accessToken.reveal());
    if (encoded.kind !== 'encoded') return encoded;
    const path = merchantPath.initiate(operation);
    const answer = await this.#post<InitiateTransferResponse, MerchantCause>(this.settings.merchant, path, encoded.body.reveal(), {
      Message: INVOICES[operation],
      ErrorMessage: MerchantErrorResponse,
    });
    if (answer.kind !== 'answered') return answer;
    const { endpointId, invoiceId, session, rates } = answer.value;
    const { nonce, signature } = session;
    return { kind: 'answered', value: { operation, endpointId, invoiceId, nonce, signature, ...(rates !== undefined && { rates }) } };
  }

  /**
   * Sends the order to the gateway (interface, section 4.5). After a lost answer it repeats the request unchanged and gets the first token
   * (protocol decisions, section 8).
   * A later call with the same order and invoice does the same.
   */
  async perform(order: DeviceOrder, invoice: Invoice): Promise<Outcome<Transaction, PerformCause>> {
    const { operation, endpointId, invoiceId } = invoice;
    const encoded = performBody(this.settings.device, order, invoice, this.accessToken.reveal());
    if (encoded.kind !== 'encoded') return encoded;
    const path = gatewayPath.perform(operation, invoice);
    const send = (): Promise<Outcome<AcceptedResponse, PerformCause>> =>
      this.#post<AcceptedResponse, PerformCause>(this.settings.gateway, path, encoded.body.reveal(), {
        Message: AcceptedResponse,
        ErrorMessage: PerformErrorResponse,
        mismatch: ofInvoice(invoiceId),
      });
    let answer = await send();
    for (const afterMs of REPEAT_AFTER_MS) {
      if (answer.kind === 'answered' || !isPassing(answer)) break;
      await sleep(this.settings.scheduler, afterMs);
      answer = await send();
    }
    if (answer.kind !== 'answered') return withoutCardNumbers(answer, order);
    return { kind: 'answered', value: { operation, endpointId, invoiceId, token: answer.value.session.token } };
  }

  status(transaction: Transaction): Promise<Outcome<DeviceStatus, StatusCause>> {
    const { operation } = transaction;
    return this.#post<DeviceStatus, StatusCause>(
      this.settings.gateway,
      gatewayPath.status(operation, transaction),
      this.#running(transaction),
      {
        Message: STATUSES[operation],
        ErrorMessage: StatusErrorResponse,
        mismatch: ofTransaction(transaction),
      },
    );
  }

  /** Chooses one of the offered fees of a transfer, once (interface, section 3.2). */
  async complete(transaction: Transaction, assignedId: string): Promise<Outcome<Transaction, PerformCause>> {
    const path = gatewayPath.complete(transaction, assignedId);
    const answer = await this.#post<AcceptedResponse, PerformCause>(this.settings.gateway, path, this.#running(transaction), {
      Message: AcceptedResponse,
      ErrorMessage: PerformErrorResponse,
      mismatch: ofTransaction(transaction),
    });
    return answer.kind === 'answered' ? { kind: 'answered', value: transaction } : answer;
  }

  /**
   * Sends the random sum from the cardholder's statement to the merchant server, for later checks of that card (protocol decisions, section
   * 7).
   * @param randomSumCentis minor units
   */
  tellRandomSum(invoiceId: string, randomSumCentis: number): Promise<Outcome<RandomSumResponse, MerchantCause>> {
    const body = { ...this.#named(), transaction: { randomSumCentis } };
    return this.#post<RandomSumResponse, MerchantCause>(this.settings.merchant, merchantPath.randomSum(invoiceId), JSON.stringify(body), {
      Message: RandomSumResponse,
      ErrorMessage: MerchantErrorResponse,
      mismatch: ofInvoice(invoiceId),
    });
  }

  /** Requests the ids for reusing an invoice's cards, as far as they are mapped (protocol decisions, section 8). */
  clientIds(invoiceId: string): Promise<Outcome<ClientIdsResponse, MerchantCause>> {
    const body = JSON.stringify(this.#named());
    return this.#post<ClientIdsResponse, MerchantCause>(this.settings.merchant, merchantPath.clientIds(invoiceId), body, {
      Message: ClientIdsResponse,
      ErrorMessage: MerchantErrorResponse,
      mismatch: ofInvoice(invoiceId),
    });
  }

  /** Polls the status until final, at the configured cadence. Call it again if the transaction stayed open. */
  follow(transaction: Transaction, watcher: TransactionListener = {}): Promise<FollowEnding> {
    return follow(this, transaction, watcher, this.settings);
  }

  /** Runs initiate, perform and follow, then requests the cards' ids. */
  async run(order: DeviceOrder, watcher: TransactionListener = {}): Promise<DeviceRun> {
    const invoice = await this.initiate(order);
    if (invoice.kind !== 'answered') return { step: 'initiate', ending: invoice };
    watcher.onInvoice?.(invoice.value);
    const transaction = await this.perform(order, invoice.value);
    if (transaction.kind !== 'answered') return { step: 'perform', ending: transaction, invoice: invoice.value };
    watcher.onAccepted?.(transaction.value);
    const ending = await this.follow(transaction.value, watcher);
    const run = { step: 'follow' as const, ending, invoice: invoice.value, transaction: transaction.value };
    if (ending.kind !== 'final' || ending.status.state !== 'APPROVED') return run;
    return { ...run, cards: await this.clientIds(transaction.value.invoiceId) };
  }

  #named() {
    const { serialNumber } = this.settings.device;
    return { consumer: { device: { serialNumber } }, session: { accessToken: this.accessToken.reveal() } };
  }

  #running({ token }: Transaction): string {
    return JSON.stringify({ session: { accessToken: this.accessToken.reveal(), token } });
  }

  async #post<Message extends object, Cause extends DeviceErrorCause>(
    base: string,
    path: string,
    body: string,
    classes: AnswerClasses<Message, Cause>,
  ): Promise<Outcome<Message, Cause>> {
    return readAnswer(await this.settings.transport.send({ method: 'POST', url: `${base}/${path}`, body }), classes);
  }
}

export type DeviceRun =
  | { readonly step: 'initiate'; readonly ending: Failure<MerchantCause> }
  /** After a lost answer it is unknown if the gateway accepted the order; `perform` with the same order and invoice resolves it. */
  | { readonly step: 'perform'; readonly ending: Failure<PerformCause>; readonly invoice: Invoice }
  | {
      readonly step: 'follow';
      readonly ending: FollowEnding;
      readonly invoice: Invoice;
      readonly transaction: Transaction;
      readonly cards?: Outcome<ClientIdsResponse, MerchantCause>;
    };
