import {
  accountVerificationControl,
  amountFollowUpControl,
  encodeForm,
  initialPaymentControl,
  orderControl,
  parseForm,
  writeFormAnswer,
  type CallbackFacts,
  type Form,
} from '@app/gateway-protocol';
import { formatAmount, parseAmount, resultCode } from '@app/kernel';
import type { ChargeRequest } from '@app/gateway-adapters/contract';
import type { UpstreamAccount } from '@app/gateway-adapters/paynet';
import { maskedNumber, UpstreamCardBook, type MaskedNumber, type Told } from './upstream-card-book';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface Answered {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

interface FollowUp {
  readonly operation: 'capture' | 'return' | 'void';
  readonly serial: string;
  readonly minor: bigint;
  status: 'processing' | 'approved' | 'declined';
}

export interface Order {
  readonly orderId: string;
  readonly serial: string;
  readonly clientOrderId: string;
  readonly operation: 'sale' | 'preauth' | 'account-verification' | 'transfer';
  readonly minor: bigint;
  readonly currency: string;
  status: 'processing' | 'approved' | 'declined';
  code?: number;
  readonly settlesAs?: 'approved' | 'declined';
  readonly callbackUrl: string;
  authentication?: 'awaited' | 'AUTHENTICATED' | 'NOT_AUTHENTICATED';
  readonly isByDevice?: boolean;
  readonly masked: MaskedNumber;
  readonly followUps: FollowUp[];
}

type Wanted = Pick<Order, 'clientOrderId' | 'operation' | 'minor' | 'currency' | 'callbackUrl' | 'masked' | 'isByDevice'>;

const TYPES = { sale: 'sale', preauth: 'preauth', 'account-verification': 'account_verification', transfer: 'transfer' } as const;
const FOLLOW_UP_TYPES = { capture: 'capture', return: 'reversal', void: 'void' } as const;
const STAGES = { sale: 'sale', preauth: 'auth', 'account-verification': 'av', transfer: 'transfer' } as const;
/** Charged for every transfer, in minor units. */
export const TRANSFER_COMMISSION_MINOR = 25n;
const ORDER_ID_MIN = 1_000_000_000;

/** Minor parts of a follow-up's amount that decide it (protocol decisions, section 9). */
const DECLINED_PART = 16n;
const UNKNOWN_PART = 17n;
const HUNDRED = 100n;

export const payerAddressOf = ({ orderId }: Order): string => `https://upstream.example/payer/${orderId}?step=1`;

/** A minimal gateway of the family with one entry point. As in the simulator, the CVV decides a payment, and the minor part a follow-up. */
export class UpstreamGateway {
  readonly orders = new Map<string, Order>();
  readonly #byKey = new Map<string, Answered>();
  #serials = 0;

  readonly #cards: UpstreamCardBook;

  /**
   * @param habits of another vendor: it requires its own order id, refuses with HTTP statuses and other codes, and its order status
   * excludes device orders
   */
  constructor(
    private readonly account: UpstreamAccount,
    readonly habits: 'ours' | 'independent' = 'ours',
  ) {
    this.#cards = new UpstreamCardBook(account);
  }

  settle(): void {
    for (const order of this.orders.values()) {
      if (order.status === 'processing' && order.settlesAs !== undefined) order.status = order.settlesAs;
      if (order.status === 'declined') order.code ??= resultCode('do-not-honour');
      for (const followUp of order.followUps) if (followUp.status === 'processing') followUp.status = 'approved';
    }
  }

  authenticate(clientOrderId: string, outcome: 'passes' | 'fails'): void {
    const order = this.orders.get(clientOrderId);
    if (order?.authentication !== 'awaited') throw new Error(`no payer is awaited for ${clientOrderId}`);
    order.authentication = outcome === 'passes' ? 'AUTHENTICATED' : 'NOT_AUTHENTICATED';
    order.status = outcome === 'passes' ? 'approved' : 'declined';
    if (outcome === 'fails') order.code = resultCode('payer-not-authenticated');
  }

  callbackFacts({ key, amount }: Pick<ChargeRequest, 'key' | 'amount'>): CallbackFacts {
    const order = this.orders.get(key);
    const status = order?.status ?? 'approved';
    return {
      status,
      orderid: order?.orderId ?? String(ORDER_ID_MIN),
      client_orderid: key,
      type: TYPES[order?.operation ?? 'sale'],
      amount: formatAmount(order?.minor ?? amount.minor),
      currency: order?.currency ?? amount.currency,
      'processor-tx-id': `PNTEST-${order?.orderId ?? ''}`,
      'approval-code': status === 'approved' ? 'OK0001' : undefined,
      error_code: status === 'declined' ? String(order?.code) : undefined,
    };
  }

  answer({ path, headers, body }: Received): Answered {
    const [, , , operation = ''] = path.split('/');
    const parsed = parseForm(Buffer.from(body));
    if ('refused' in parsed) return this.#refused(1, parsed.refused.message);
    const form = parsed.ok;
    const key = headers['idempotency-key'];
    const stored = key === undefined ? undefined : this.#byKey.get(key);
    if (stored !== undefined) return stored;
    const answered = this.#route(operation, form);
    if (key !== undefined && answered.body.startsWith('type=async-response')) this.#byKey.set(key, answered);
    return answered;
  }

  #route(operation: string, form: Form): Answered {
    switch (operation) {
      case 'sale':
      case 'preauth':
      case 'account-verification':
        return this.#pay(operation, form);
      case 'make-rebill-sale':
        return this.#rebill('sale', form);
      case 'make-rebill-preauth':
        return this.#rebill('preauth', form);
      case 'create-card-ref':
        return this.#told(this.#cards.register(form, this.orders));
      case 'get-card-info':
        return this.#told(this.#cards.details(form));
      case 'status':
        return this.#status(form);
      case 'capture':
      case 'return':
      case 'void':
        return this.#follow(operation, form);
      default:
        return { status: 404, contentType: 'text/html', body: '<html>no such page</html>' };
    }
  }

  #pay(operation: Order['operation'], form: Form): Answered {
    const { controlKey, entryPoint } = this.account;
    const clientOrderId = form.text('client_orderid');
    const minor = operation === 'account-verification' ? 0n : (parseAmount(form.text('amount')) ?? -1n);
    const signed = { entryPoint: entryPoint.id, clientOrderId, email: form.text('email') };
    const control =
      operation === 'account-verification'
        ? accountVerificationControl(signed, controlKey)
        : initialPaymentControl({ ...signed, amountMinor: minor }, controlKey);
    if (control !== form.text('control')) return this.#refused(2, 'INVALID_CONTROL_CODE');
    return this.#order(operation, form, minor, maskedNumber(form.text('credit_card_number')));
  }

  #rebill(operation: 'sale' | 'preauth', form: Form): Answered {
    const card = this.#cards.charged(form);
    return 'kind' in card ? this.#told(card) : this.#order(operation, form, parseAmount(form.text('amount')) ?? -1n, card);
  }

  #told(told: Told): Answered {
    return told.kind === 'refused' ? this.#refused(told.code, 'Refused') : this.#form([...told.pairs, ['serial-number', this.#serial()]]);
  }

  #order(operation: Order['operation'], form: Form, minor: bigint, masked: MaskedNumber): Answered {
    const [clientOrderId, currency, callbackUrl] = [form.text('client_orderid'), form.text('currency'), form.text('server_callback_url')];
    const order = this.accept({ clientOrderId, operation, minor, currency, callbackUrl, masked }, form.text('cvv2'));
    return order === undefined ? this.#refused(7, 'used with other parameters') : this.#async(order, order.serial);
  }

  accept(wanted: Wanted, cvv: string): Order | undefined {
    const known = this.orders.get(wanted.clientOrderId);
    if (known !== undefined && (known.minor !== wanted.minor || known.operation !== wanted.operation)) return undefined;
    const order = known ?? this.#accepted(wanted, cvv);
    this.orders.set(wanted.clientOrderId, order);
    return order;
  }

  #accepted(wanted: Wanted, cvv: string): Order {
    const base = { ...wanted, orderId: String(ORDER_ID_MIN + this.orders.size), serial: this.#serial(), followUps: [] };
    if (cvv === '321') return { ...base, status: 'processing', authentication: 'awaited' };
    if (cvv === '217') return { ...base, status: 'processing', settlesAs: 'approved' };
    if (cvv === '218') return { ...base, status: 'processing', settlesAs: 'declined' };
    if (cvv === '' || cvv === '123') return { ...base, status: 'approved' };
    return { ...base, status: 'declined', code: Number(cvv) };
  }

  #follow(operation: FollowUp['operation'], form: Form): Answered {
    const { login, controlKey } = this.account;
    const named = { login, clientOrderId: form.text('client_orderid'), orderId: form.text('orderid') };
    const order = this.orders.get(named.clientOrderId);
    const minor = operation === 'void' ? order?.minor : parseAmount(form.text('amount'));
    const control =
      operation === 'void'
        ? orderControl(named, controlKey)
        : amountFollowUpControl(named, { amountMinor: minor ?? 0n, currency: form.text('currency') }, controlKey);
    if (control !== form.text('control')) return this.#refused(2, 'INVALID_CONTROL_CODE');
    if (order?.orderId !== named.orderId || minor === undefined) return this.#refused(3, 'Order not found');
    const held = order.followUps.filter(({ status }) => status !== 'declined');
    const moved = held.filter((one) => one.operation === operation).reduce((sum, one) => sum + one.minor, 0n);
    const isOver = held.some((one) => one.operation === 'void') || (operation !== 'return' && held.length > 0);
    if (order.status !== 'approved' || isOver) return this.#refused(11, 'Operation is not possible');
    if (moved + minor > order.minor) return this.#refused(9, 'Amount out of range');
    const part = operation === 'void' ? 0n : minor % HUNDRED;
    const status = part === DECLINED_PART ? 'declined' : part === UNKNOWN_PART ? 'processing' : 'approved';
    const followUp: FollowUp = { operation, serial: this.#serial(), minor, status };
    order.followUps.push(followUp);
    return this.#async(order, followUp.serial);
  }

  #status(form: Form): Answered {
    const { login, controlKey } = this.account;
    const named = { login, clientOrderId: form.text('client_orderid'), orderId: form.text('orderid') };
    if (orderControl(named, controlKey) !== form.text('control')) return this.#refused(2, 'INVALID_CONTROL_CODE');
    const order = this.orders.get(named.clientOrderId);
    // Every follow-up belongs to Group A, whatever it follows.
    const isElsewhere = order?.isByDevice === true && form.text('by-request-sn') === '';
    if (this.habits === 'independent' && (named.orderId === '' || isElsewhere)) return this.#refusedByStatus();
    if (order === undefined || (named.orderId !== '' && named.orderId !== order.orderId)) return this.#refused(3, 'Order not found');
    const serial = form.text('by-request-sn');
    const followUp = order.followUps.find((one) => one.serial === serial) ?? order.followUps.findLast((one) => one.status === 'approved');
    const isAsked = followUp !== undefined && serial === followUp.serial;
    const status = isAsked ? followUp.status : order.status;
    const type = followUp === undefined ? TYPES[order.operation] : FOLLOW_UP_TYPES[followUp.operation];
    const stage = followUp === undefined ? STAGES[order.operation] : FOLLOW_UP_TYPES[followUp.operation];
    const isSum = order.operation !== 'account-verification';
    const code = isAsked ? resultCode('insufficient-funds') : order.code;
    return this.#form([
      ['type', 'status-response'],
      ['serial-number', this.#serial()],
      ['merchant-order-id', order.clientOrderId],
      ['paynet-order-id', order.orderId],
      ['status', status],
      ['amount', isSum ? `${order.minor / HUNDRED}.${String(order.minor % HUNDRED).padStart(2, '0')}` : undefined],
      ['currency', isSum ? order.currency : undefined],
      ['transaction-type', type],
      ['order-stage', `${stage}_${status}`],
      ['processor-tx-id', `PNTEST-${isAsked ? followUp.serial : order.orderId}`],
      ['approval-code', status === 'approved' ? 'OK0001' : undefined],
      ['error-code', status === 'declined' ? String(code) : undefined],
      ['transaction-date', status === 'processing' ? undefined : '2024-01-01 00:00:00 UTC'],
      ['seller-commission', order.operation === 'transfer' && status === 'approved' ? '0.25' : undefined],
      ['by-request-sn', serial === '' ? undefined : serial],
      ['verified-3d-status', order.authentication === 'awaited' ? undefined : order.authentication],
      ['html', order.authentication === 'awaited' ? '<!doctype html><title>3-D Secure</title>' : undefined],
      ['redirect-to', order.authentication === 'awaited' ? payerAddressOf(order) : undefined],
    ]);
  }

  #async(order: Order, serial: string): Answered {
    return this.#form([
      ['type', 'async-response'],
      ['serial-number', serial],
      ['merchant-order-id', order.clientOrderId],
      ['paynet-order-id', order.orderId],
      ['end-point-id', this.account.entryPoint.id],
    ]);
  }

  #refusedByStatus(): Answered {
    return { ...this.#refused(4_001, 'orderid is mandatory, and names an order of this interface'), status: 400 };
  }

  #refused(code: number, message: string): Answered {
    return this.#form([
      ['type', 'validation-error'],
      ['serial-number', this.#serial()],
      ['error-message', message],
      ['error-code', String(code)],
    ]);
  }

  #form(pairs: Parameters<typeof encodeForm>[0]): Answered {
    return { status: 200, contentType: 'text/html;charset=utf-8', body: writeFormAnswer(pairs) };
  }

  #serial(): string {
    this.#serials += 1;
    return `00000000-0000-0000-0000-${this.#serials.toString(16).padStart(12, '0')}`;
  }
}
