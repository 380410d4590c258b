import type { Clock, MerchantLogin, Random, Sealed } from '@app/kernel';
import type { CardUidNumbers, OrderSealer } from '@app/card-vault';
import { DELIVERED_STATUS, underTrace, type Egress } from '@app/http/client';
import { controlKeysAt, type Accounts, type Merchant } from '@app/configuration';
import { orderTexts, type CheckOutcome, type MappedCards, type MerchantServer, type OpenOrder } from '@app/orders';
import { packTexts, SEALED_FIELDS } from '@app/orders/domain';
import { CheckCall, type CheckAnswer } from './check-call';
import { isAcknowledged, notificationRequest } from './notification-call';
import { type MerchantServerAccount } from './server-call';
import { agreementOf, type Filled, type Texts } from './agreement';
import type { AnsweredCards } from './answered-cards';
import { checkedTransaction, deviceTexts, mappingNotification } from './device-transaction';

export interface OrderMerchantServerPorts {
  readonly accounts: Pick<Accounts, 'merchant'>;
  readonly egress: Pick<Egress, 'send'>;
  readonly cards: AnsweredCards;
  readonly vault: Pick<OrderSealer, 'unseal' | 'takeKey'> & Pick<CardUidNumbers, 'uidNumber'>;
  /** `groupB.notificationWaitSeconds`: limits the notification's delay of the final state. */
  readonly notificationWaitMs: number;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
}

const NO_TEXTS: Texts = new Map();

export class OrderMerchantServer implements MerchantServer {
  readonly #calls: CheckCall;

  constructor(private readonly ports: OrderMerchantServerPorts) {
    this.#calls = new CheckCall(ports.egress, ports.random);
  }

  async check(open: OpenOrder): Promise<CheckOutcome> {
    const { order } = open;
    const account = this.accountOf(order.merchant);
    // The merchant is not configured now but may be again.
    if (account === undefined) return { kind: 'unreachable' };
    const device = await deviceTexts(order, this.ports.vault);
    const transaction = checkedTransaction(order, device);
    if (transaction === undefined) return { kind: 'failed', cause: 'refused' };
    const outcome = await this.#calls.check(transaction, account, open);
    return outcome.kind === 'answered' ? this.agreed(open, device, outcome.answer) : outcome;
  }

  async notify(open: OpenOrder, cards: MappedCards): Promise<'acknowledged' | 'not-acknowledged' | 'off'> {
    if (this.ports.accounts.merchant(open.order.merchant)?.cardMapping === 'off') return 'off';
    const { egress, vault, notificationWaitMs: deadlineMs, clock, random } = this.ports;
    const account = this.accountOf(open.order.merchant);
    const notification = await mappingNotification(open, cards, vault);
    if (account === undefined || notification === undefined) return 'not-acknowledged';
    const request = notificationRequest(notification, account, { order: open.stream, now: clock.now(), deadlineMs });
    const outcome = await egress.send(underTrace(request, open, random));
    const isAcknowledgedInTime =
      outcome.kind === 'answered' &&
      outcome.status === DELIVERED_STATUS &&
      isAcknowledged(notification, outcome.body ?? '', account.controlKeys);
    return isAcknowledgedInTime ? 'acknowledged' : 'not-acknowledged';
  }

  private async agreed({ order }: OpenOrder, device: Texts, answer: CheckAnswer): Promise<CheckOutcome> {
    const named = await this.ports.cards.namedIn(order, answer);
    if (typeof named === 'string') return { kind: 'failed', cause: named };
    const { sourceCustomer, ...cards } = named;
    const { merchant, amount, customer, details } = order;
    const [own, ownDetails, mapped] = await Promise.all([
      this.texts(merchant, SEALED_FIELDS.customer, customer),
      // IP addresses are the only details in an answer.
      answer.ipAddresses === undefined ? NO_TEXTS : this.texts(merchant, SEALED_FIELDS.details, details),
      sourceCustomer === undefined ? undefined : this.texts(merchant, SEALED_FIELDS.customer, sourceCustomer),
    ]);
    const { currency } = amount;
    const filled = agreementOf({ currency, customer: own, details: ownDetails, device, ...(mapped && { mapped }) }, answer);
    if (filled === 'contradiction') return { kind: 'failed', cause: filled };
    const { randomSumCentis } = answer;
    return {
      kind: 'passed',
      ...cards,
      ...(await this.sealed(merchant, filled)),
      ...(randomSumCentis !== undefined && { randomSum: { minor: BigInt(randomSumCentis), currency } }),
    };
  }

  private texts(merchant: MerchantLogin, field: string, sealed: Sealed): Promise<Texts> {
    return orderTexts(this.ports.vault, { merchant, field, sealed });
  }

  /** Seals under a new key; the order's original texts stay sealed unchanged. */
  private async sealed(
    merchant: MerchantLogin,
    { customer, details }: Filled,
  ): Promise<{ readonly customer?: Sealed; readonly details?: Sealed }> {
    if (customer === undefined && details === undefined) return {};
    const key = await this.ports.vault.takeKey();
    const sealed = (field: string, texts: Texts): Sealed => key.seal(merchant, field, packTexts(Object.fromEntries(texts)));
    return {
      ...(customer && { customer: sealed(SEALED_FIELDS.customer, customer) }),
      ...(details && { details: sealed(SEALED_FIELDS.details, details) }),
    };
  }

  private accountOf(login: MerchantLogin): (MerchantServerAccount & Pick<Merchant, 'callback'>) | undefined {
    const merchant = this.ports.accounts.merchant(login);
    if (merchant?.merchantUrl === undefined) return undefined;
    const { merchantUrl, callback } = merchant;
    return { merchantUrl, callback, controlKeys: controlKeysAt(merchant, this.ports.clock.now()) };
  }
}
