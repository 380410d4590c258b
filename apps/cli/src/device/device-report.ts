import type { DeviceRun, DeviceStatus, Failure, FollowEnding, Invoice, Watcher } from '@app/device-client';
import type { ClientCard, ClientIdsResponse, TransferFee } from '@app/gateway-protocol';
import { formatAmount } from '@app/kernel';
import { asJson, type Output } from '../terminal/output';
import { printable, shortened } from '../terminal/printable';
import { failureWords } from './failure-words';
import { feeText, type FeeChoice } from './fee-choice';
import type { WaitingLine } from './waiting-line';

const LABEL_WIDTH = 10;
const TEXT_SHOWN_MAX = 200;
const MERCHANT_SERVER = 'the merchant server';
const GATEWAY = 'the gateway';
const APPROVED = 0;
const NOT_APPROVED = 1;

type Facts = Readonly<Record<string, unknown>>;

/** What becomes of a device's order, told as it happens: to people a line each, to programs an object each. */
export class DeviceReport {
  readonly #output: Output;
  /** The order's: a status answer names none (interface, section 4.7). */
  readonly #currency: string;
  readonly #waiting: WaitingLine | undefined;
  #state: string | undefined;

  /** `waiting` where there is a terminal to draw it on. */
  constructor(output: Output, currency: string, waiting: WaitingLine | undefined) {
    this.#output = output;
    this.#currency = currency;
    this.#waiting = output.isJson ? undefined : waiting;
  }

  /** `choose` is asked with the waiting line out of the way. */
  watcher(choose: (fees: readonly TransferFee[]) => Promise<FeeChoice>): Watcher {
    return {
      onInvoice: (invoice) => this.#invoice(invoice),
      onAccepted: () => this.#told('accepted', 'by the gateway', {}),
      onStatus: (status) => this.#status(status),
      onRedirect: (url) => this.#told('redirect', `the payer authenticates at ${printable(url)}`, { url }),
      chooseFee: async (fees) => {
        this.#told('fees', fees.map(feeText).join('; '), { fees });
        const choice = await choose(fees);
        if ('fee' in choice) this.#told('chosen', feeText(choice.fee), { fee: choice.fee });
        else this.#output.problem(choice.problem);
        return 'fee' in choice ? choice.fee : undefined;
      },
    };
  }

  /** Nothing went to the gateway yet. @returns the exit code */
  noSession(failure: Failure): number {
    return this.#failed(failureWords(MERCHANT_SERVER, failure), { failure });
  }

  /** The last word. @returns the exit code */
  ended(run: DeviceRun): number {
    this.#waiting?.stop();
    switch (run.step) {
      case 'initiate':
        return this.#failed(failureWords(MERCHANT_SERVER, run.ending), { failure: run.ending });
      case 'perform': {
        const isUnknown = run.ending.kind === 'no-answer' || run.ending.kind === 'malformed';
        const known = isUnknown ? `; whether it took invoice ${printable(run.invoice.invoiceId)} in is not known` : '';
        return this.#failed(failureWords(GATEWAY, run.ending) + known, { invoiceId: run.invoice.invoiceId, failure: run.ending });
      }
      case 'follow': {
        const code = this.#ending(run.ending, run.invoice);
        if (run.cards !== undefined) this.#cards(run.cards);
        return code;
      }
    }
  }

  #invoice({ invoiceId, endpointId, rates }: Invoice): void {
    const range = [rates?.min, rates?.max].filter((rate) => rate !== undefined).map(printable);
    const may = range.length === 0 ? '' : `, commission ${[...new Set(range)].join(' to ')} ${this.#currency}`;
    this.#told('invoice', `${printable(invoiceId)} at endpoint ${printable(endpointId)}${may}`, {
      invoiceId,
      endpointId,
      ...(rates && { rates }),
    });
  }

  #status({ state }: DeviceStatus): void {
    if (state === this.#state) return;
    this.#state = state;
    if (state === 'APPROVED' || state === 'DECLINED') return;
    this.#told('state', state, { state });
    this.#waiting?.start(state);
  }

  #ending(ending: FollowEnding, { invoiceId }: Invoice): number {
    switch (ending.kind) {
      case 'final':
        return this.#final(ending.status);
      case 'still-open': {
        const said = ending.failure === undefined ? '' : `: ${failureWords(GATEWAY, ending.failure)}`;
        return this.#failed(`how invoice ${printable(invoiceId)} ends is not known yet${said}`, { invoiceId, ending });
      }
      case 'fee-not-chosen':
        return this.#failed('no fee was chosen: the gateway ends the transfer in time, with nothing charged', {
          invoiceId,
          fees: ending.fees,
        });
      case 'no-answer':
      case 'malformed':
      case 'forbidden':
      case 'refused':
      case 'invalid-request':
        return this.#failed(failureWords(GATEWAY, ending), { invoiceId, failure: ending });
    }
  }

  #final(status: DeviceStatus): number {
    const isApproved = status.state === 'APPROVED';
    const words: string[] = [];
    if ('orderId' in status) {
      const { amountCentis, commissionCentis } = status.transaction;
      words.push(`order ${printable(status.orderId)}`, this.#money(amountCentis));
      if (commissionCentis !== undefined) words.push(`commission ${this.#money(commissionCentis)}`);
    }
    if (status.bankOrderId !== undefined) words.push(`at the bank ${printable(status.bankOrderId)}`);
    if (status.secure3DAuthStatus !== undefined) words.push(`3-D Secure ${status.secure3DAuthStatus}`);
    if (status.randomSumAuthStatus !== undefined) words.push(`random sum ${status.randomSumAuthStatus}`);
    if (status.errorCode !== undefined) words.push(`code ${status.errorCode}`);
    if (status.errorMessage !== undefined) words.push(shortened(status.errorMessage, TEXT_SHOWN_MAX));
    const { session: _session, ...shown } = { ...status };
    this.#told(isApproved ? 'approved' : 'declined', words.join(', '), shown, isApproved ? 'good' : 'bad');
    return isApproved ? APPROVED : NOT_APPROVED;
  }

  #money(centis: number): string {
    return `${formatAmount(BigInt(centis))} ${this.#currency}`;
  }

  #cards(cards: NonNullable<Extract<DeviceRun, { step: 'follow' }>['cards']>): void {
    if (cards.kind !== 'answered') {
      this.#output.problem(`the names of the cards are not known: ${failureWords(MERCHANT_SERVER, cards)}`);
      return;
    }
    for (const [use, card] of mappedCards(cards.value)) {
      const { bin, reference } = card;
      const { clientCardId } = reference;
      this.#told('card', `the ${use} ${bin}… is from now on ${printable(clientCardId)}`, { use, bin, clientCardId });
    }
  }

  #failed(text: string, facts: Facts): number {
    this.#waiting?.stop();
    if (this.#output.isJson) this.#output.line(asJson({ kind: 'failed', text, ...facts }));
    this.#output.problem(text);
    return NOT_APPROVED;
  }

  #told(kind: string, text: string, facts: Facts, tone: 'plain' | 'good' | 'bad' = 'plain'): void {
    this.#waiting?.stop();
    if (this.#output.isJson) this.#output.line(asJson({ kind, ...facts }));
    else this.#output.line(`${this.#output.paint(tone, kind.padEnd(LABEL_WIDTH))} ${text}`);
  }
}

const mappedCards = ({ sourceCard, destinationCard }: ClientIdsResponse): readonly (readonly [use: string, card: ClientCard])[] => [
  ...(sourceCard === undefined ? [] : [['source', sourceCard] as const]),
  ...(destinationCard === undefined ? [] : [['destination', destinationCard] as const]),
];
