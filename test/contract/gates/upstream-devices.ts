import {
  DEVICE_OPERATIONS,
  isDeviceSignature,
  paymentSignature,
  PerformTransferRequest,
  readDeviceBody,
  SessionRequest,
  verificationSignature,
  PerformSaleRequest,
  PerformVerificationRequest,
  type ControlKey,
  type DeviceOperation,
} from '@app/gateway-protocol';
import { maskedNumber } from './upstream-card-book';
import { payerAddressOf, TRANSFER_COMMISSION_MINOR, type Answered, type Order, type UpstreamGateway } from './upstream-gateway';

const PERFORMS = { verification: PerformVerificationRequest, sale: PerformSaleRequest, transfer: PerformTransferRequest } as const;
const OPERATIONS = { verification: 'account-verification', sale: 'sale', transfer: 'transfer' } as const;
const DATE = '2024-01-01 00:00:00 UTC';

interface Fee {
  readonly assignedId: string;
  readonly commissionCentis: number;
  readonly currency: string;
}

interface Session {
  readonly order: Order;
  readonly accessToken: string;
  readonly token: string;
}

/** The device interface of the same gateway (interface, sections 4.2, 4.5 and 4.7), with the same orders. It asks no merchant server. */
export class UpstreamDevices {
  readonly #sessions = new Map<string, Session>();
  fees: readonly Fee[] = [];
  readonly choices = new Map<string, string>();

  constructor(
    private readonly gateway: UpstreamGateway,
    private readonly account: { readonly endpointId: string; readonly controlKey: ControlKey },
  ) {}

  answer(path: string, body: string): Answered {
    const [, , , named, endpointId, invoiceId = '', last] = path.split('/');
    const operation = DEVICE_OPERATIONS.find((one) => one === named);
    if (operation === undefined || endpointId !== this.account.endpointId) return refused('INVALID_REQUEST', invoiceId);
    if (last === 'status') return this.#status(invoiceId, body);
    return last === undefined ? this.#perform(operation, invoiceId, body) : this.#complete(invoiceId, decodeURIComponent(last), body);
  }

  #complete(invoiceId: string, assignedId: string, body: string): Answered {
    const known = this.#known(invoiceId, body);
    if (known === undefined || this.choices.has(invoiceId) || !this.fees.some((fee) => fee.assignedId === assignedId))
      return refused('INVALID_REQUEST', invoiceId);
    this.choices.set(invoiceId, assignedId);
    known.order.status = 'approved';
    return json({ invoiceId, session: { token: known.token } });
  }

  #known(invoiceId: string, body: string): Session | undefined {
    const read = readDeviceBody(SessionRequest, Buffer.from(body));
    const known = this.#sessions.get(invoiceId);
    if ('refused' in read) return undefined;
    const { accessToken, token } = read.ok.session;
    return known?.accessToken === accessToken && known.token === token ? known : undefined;
  }

  #perform(operation: DeviceOperation, invoiceId: string, body: string): Answered {
    const read = readDeviceBody<PerformSaleRequest | PerformVerificationRequest>(PERFORMS[operation], Buffer.from(body));
    if ('refused' in read) return refused('INVALID_REQUEST', invoiceId);
    const { consumer, session, transaction } = read.ok;
    const { accessToken, nonce, signature } = session;
    const { currency } = transaction;
    const { endpointId, controlKey } = this.account;
    const amountCentis = 'amountCentis' in transaction ? transaction.amountCentis : undefined;
    const signed = { accessToken, serialNumber: consumer.device.serialNumber, endpointId, nonce, invoiceId, currency };
    const computed =
      amountCentis === undefined ? verificationSignature(signed, controlKey) : paymentSignature({ ...signed, amountCentis }, controlKey);
    if (!isDeviceSignature(computed, signature)) return refused('INVALID_REQUEST', invoiceId);
    const minor = BigInt(amountCentis ?? 0);
    const card = 'sourceCard' in read.ok ? read.ok.sourceCard : read.ok.sourceOfFunds.card;
    const masked = maskedNumber(card?.number ?? '');
    const wanted = {
      clientOrderId: invoiceId,
      operation: OPERATIONS[operation],
      minor,
      currency,
      callbackUrl: '',
      masked,
      isByDevice: true,
    };
    const order = this.gateway.accept(wanted, card?.securityCode ?? '');
    if (order === undefined) return refused('INVALID_REQUEST', invoiceId);
    if (operation === 'transfer' && this.fees.length > 0) order.status = 'processing';
    const token = `00000000-0000-4000-8000-00${order.orderId}`;
    this.#sessions.set(invoiceId, { order, accessToken, token });
    return json({ invoiceId, session: { token } });
  }

  #isChoosing({ operation, clientOrderId }: Order): boolean {
    return operation === 'transfer' && this.fees.length > 0 && !this.choices.has(clientOrderId);
  }

  #status(invoiceId: string, body: string): Answered {
    const known = this.#known(invoiceId, body);
    if (known === undefined) return refused('ORDER_NOT_FOUND', invoiceId);
    const { token } = known;
    const { order } = known;
    const { operation, minor, currency, orderId, code } = order;
    return json({
      invoiceId,
      session: { token },
      ...(this.#isChoosing(order) ? { state: 'TRANSFER_FEE_REQUEST', transferFeeList: this.fees } : stateOf(order)),
      ...(order.status === 'declined' && { errorCode: code }),
      ...(order.authentication !== undefined && order.authentication !== 'awaited' && { secure3DAuthStatus: order.authentication }),
      ...(operation === 'account-verification' &&
        this.gateway.habits === 'independent' && { transaction: { transactionCreatedDate: DATE } }),
      ...(operation !== 'account-verification' && {
        orderId,
        transaction: {
          amountCentis: Number(minor),
          currency,
          orderCreatedDate: DATE,
          transactionCreatedDate: DATE,
          ...(operation === 'transfer' && order.status === 'approved' && { commissionCentis: Number(TRANSFER_COMMISSION_MINOR) }),
        },
      }),
    });
  }
}

const stateOf = (order: Order): object => {
  if (order.authentication === 'awaited') return { state: 'REDIRECT_REQUEST', redirectUrl: payerAddressOf(order) };
  if (order.status === 'processing') return { state: 'PROCESSING' };
  return { state: order.status.toUpperCase(), bankOrderId: `PNTEST-${order.orderId}` };
};

const json = (body: object): Answered => ({ status: 200, contentType: 'application/json;charset=utf-8', body: JSON.stringify(body) });

const refused = (cause: string, invoiceId: string): Answered =>
  json({ error: { cause, code: '1000000000000001', message: 'refused' }, invoiceId });
