import type { TransferFee, ClientCard, ClientIdsResponse } from '@app/gateway-protocol';
import { formatAmount, type Clock, type Instant, type Scheduled, type Scheduler } from '@app/kernel';
import type { DeviceRun, DeviceStatus, Failure, FollowEnding, Invoice, TransactionListener } from '@app/device-client';
import { printable, RedrawnLine, asJson, type Output, shortened } from '../terminal';

const CHEAPEST = 'cheapest';
export const ASK = 'ask';

type FeeOption = string;

type FeeChoice = { readonly fee: TransferFee } | { readonly problem: string };

const TRIES_MAX = 3;

const feeText = ({ assignedId, commissionCentis, currency }: TransferFee): string =>
  `${printable(assignedId)} for ${formatAmount(BigInt(commissionCentis))} ${currency}`;

const cheapest = (fees: readonly TransferFee[]): FeeChoice => {
  const [first, ...others] = fees;
  if (first === undefined) return { problem: 'no fee was offered' };
  if (others.some(({ currency }) => currency !== first.currency))
    return { problem: 'the fees are in several currencies: --fee with an alias chooses' };
  return { fee: others.reduce((least, fee) => (fee.commissionCentis < least.commissionCentis ? fee : least), first) };
};

const askForFee = async (fees: readonly TransferFee[], ask: ((question: string) => Promise<string>) | undefined): Promise<FeeChoice> => {
  if (ask === undefined) return { problem: `nobody is there to choose: --fee ${CHEAPEST} or --fee with an alias does` };
  const list = fees.map((fee, index) => `  ${index + 1}. ${feeText(fee)}\n`).join('');
  for (let round = 0; round < TRIES_MAX; round++) {
    const answer = await ask(`${list}Which one? `);
    const fee = fees.find(({ assignedId }, index) => answer === assignedId || answer === String(index + 1));
    if (fee !== undefined) return { fee };
  }
  return { problem: 'none of the fees was chosen' };
};

export const chosenFee = async (
  fees: readonly TransferFee[],
  option: FeeOption,
  ask: ((question: string) => Promise<string>) | undefined,
): Promise<FeeChoice> => {
  if (option === CHEAPEST) return cheapest(fees);
  if (option === ASK) return askForFee(fees, ask);
  const fee = fees.find(({ assignedId }) => assignedId === option);
  return fee === undefined ? { problem: `${printable(option)} is not among the fees` } : { fee };
};

const TICK_MS = 1_000;

export class WaitingLine {
  readonly #line: RedrawnLine;
  readonly #time: Clock & Scheduler;
  #tick: Scheduled | undefined;

  constructor(write: (text: string) => void, time: Clock & Scheduler) {
    this.#line = new RedrawnLine(write);
    this.#time = time;
  }

  start(text: string): void {
    this.stop();
    this.#show(text, this.#time.now());
  }

  stop(): void {
    this.#tick?.cancel();
    this.#tick = undefined;
    this.#line.clear();
  }

  #show(text: string, since: Instant): void {
    const seconds = Math.floor((this.#time.now() - since) / TICK_MS);
    this.#line.show(`${text}, ${seconds} s`);
    this.#tick = this.#time.after(TICK_MS, () => this.#show(text, since));
  }
}

const MESSAGE_SHOWN_MAX = 200;
const NOT_FOUND = 404;

/** A failure in one line. */
const failureText = (party: string, failure: Failure): string => {
  switch (failure.kind) {
    case 'no-answer': {
      const code = failure.code === undefined ? '' : ` (${failure.code})`;
      if (failure.reason === 'unreachable') return `${party} cannot be reached${code}`;
      return failure.reason === 'timed-out'
        ? `${party} did not answer in time`
        : `the connection to ${party} broke before its answer${code}`;
    }
    case 'malformed':
      return failure.httpStatus === NOT_FOUND
        ? `${party} serves nothing at this address (HTTP 404): check its address, --prefix for a gateway, --product for a merchant server`
        : `${party} answered in another form than the interface has (HTTP ${failure.httpStatus}): ${failure.fault}`;
    case 'forbidden':
      return `${party} refuses without a word (HTTP 403): it does not take the access token, the device or the invoice`;
    case 'refused':
      return `${party} refuses: ${failure.cause}, ${shortened(failure.message, MESSAGE_SHOWN_MAX)} (error code ${printable(failure.code)})`;
    case 'invalid-request':
      return `not sent: ${failure.message}`;
  }
};

const LABEL_WIDTH = 10;
const TEXT_SHOWN_MAX = 200;
const MERCHANT_SERVER = 'the merchant server';
const GATEWAY = 'the gateway';
const APPROVED = 0;
const NOT_APPROVED = 1;

type Facts = Readonly<Record<string, unknown>>;

export class DeviceReport {
  readonly #output: Output;
  /** The order's currency, which status answers do not contain (interface, section 4.7). */
  readonly #currency: string;
  readonly #waiting: WaitingLine | undefined;
  #state: string | undefined;

  constructor(output: Output, currency: string, waiting: WaitingLine | undefined) {
    this.#output = output;
    this.#currency = currency;
    this.#waiting = output.isJson ? undefined : waiting;
  }

  watcher(choose: (fees: readonly TransferFee[]) => Promise<FeeChoice>): TransactionListener {
    return {
      onInvoice: (invoice) => this.#invoice(invoice),
      onAccepted: () => this.#report('accepted', 'by the gateway', {}),
      onStatus: (status) => this.#status(status),
      onRedirect: (url) => this.#report('redirect', `the payer authenticates at ${printable(url)}`, { url }),
      chooseFee: async (fees) => {
        this.#report('fees', fees.map(feeText).join('; '), { fees });
        const choice = await choose(fees);
        if ('fee' in choice) this.#report('chosen', feeText(choice.fee), { fee: choice.fee });
        else this.#output.problem(choice.problem);
        return 'fee' in choice ? choice.fee : undefined;
      },
    };
  }

  /** Shows a failure before the gateway was called. @returns the exit code */
  noSession(failure: Failure): number {
    return this.#failed(failureText(MERCHANT_SERVER, failure), { failure });
  }

  /** Shows the outcome. @returns the exit code */
  ended(run: DeviceRun): number {
    this.#waiting?.stop();
    switch (run.step) {
      case 'initiate':
        return this.#failed(failureText(MERCHANT_SERVER, run.ending), { failure: run.ending });
      case 'perform': {
        const isUnknown = run.ending.kind === 'no-answer' || run.ending.kind === 'malformed';
        const known = isUnknown ? `; whether it took invoice ${printable(run.invoice.invoiceId)} in is not known` : '';
        return this.#failed(failureText(GATEWAY, run.ending) + known, { invoiceId: run.invoice.invoiceId, failure: run.ending });
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
    this.#report('invoice', `${printable(invoiceId)} at endpoint ${printable(endpointId)}${may}`, {
      invoiceId,
      endpointId,
      ...(rates && { rates }),
    });
  }

  #status({ state }: DeviceStatus): void {
    if (state === this.#state) return;
    this.#state = state;
    if (state === 'APPROVED' || state === 'DECLINED') return;
    this.#report('state', state, { state });
    this.#waiting?.start(state);
  }

  #ending(ending: FollowEnding, { invoiceId }: Invoice): number {
    switch (ending.kind) {
      case 'final':
        return this.#final(ending.status);
      case 'still-open': {
        const reason = ending.failure === undefined ? '' : `: ${failureText(GATEWAY, ending.failure)}`;
        return this.#failed(`how invoice ${printable(invoiceId)} ends is not known yet${reason}`, { invoiceId, ending });
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
        return this.#failed(failureText(GATEWAY, ending), { invoiceId, failure: ending });
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
    this.#report(isApproved ? 'approved' : 'declined', words.join(', '), shown, isApproved ? 'good' : 'bad');
    return isApproved ? APPROVED : NOT_APPROVED;
  }

  #money(centis: number): string {
    return `${formatAmount(BigInt(centis))} ${this.#currency}`;
  }

  #cards(cards: NonNullable<Extract<DeviceRun, { step: 'follow' }>['cards']>): void {
    if (cards.kind !== 'answered') {
      this.#output.problem(`the names of the cards are not known: ${failureText(MERCHANT_SERVER, cards)}`);
      return;
    }
    for (const [use, card] of mappedCards(cards.value)) {
      const { bin, reference } = card;
      const { clientCardId } = reference;
      this.#report('card', `the ${use} ${bin}… is from now on ${printable(clientCardId)}`, { use, bin, clientCardId });
    }
  }

  #failed(text: string, facts: Facts): number {
    this.#waiting?.stop();
    if (this.#output.isJson) this.#output.line(asJson({ kind: 'failed', text, ...facts }));
    this.#output.problem(text);
    return NOT_APPROVED;
  }

  #report(kind: string, text: string, facts: Facts, tone: 'plain' | 'good' | 'bad' = 'plain'): void {
    this.#waiting?.stop();
    if (this.#output.isJson) this.#output.line(asJson({ kind, ...facts }));
    else this.#output.line(`${this.#output.paint(tone, kind.padEnd(LABEL_WIDTH))} ${text}`);
  }
}

const mappedCards = ({ sourceCard, destinationCard }: ClientIdsResponse): readonly (readonly [use: string, card: ClientCard])[] => [
  ...(sourceCard === undefined ? [] : [['source', sourceCard] as const]),
  ...(destinationCard === undefined ? [] : [['destination', destinationCard] as const]),
];
