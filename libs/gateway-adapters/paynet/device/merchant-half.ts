import {
  checkSaleSignature,
  CheckSaleRequest,
  checkTransferSignature,
  CheckTransferRequest,
  CheckVerificationRequest,
  checkVerificationSignature,
  DEVICE_OPERATIONS,
  notificationSignature,
  readDeviceBody,
  SaleNotification,
  TransferNotification,
  VerificationNotification,
  type CheckSigned,
  type ControlKey,
  type DeviceOperation,
} from '@app/gateway-protocol';
import type { AttemptKey } from '@app/kernel';
import { invoiceOfAccessToken, isOwnNonce, deviceSession, type DeviceAccount } from './device-account';
import type { CanListen, Heard } from '../../contract';

/** One answer of ours to the upstream gateway. */
interface MerchantReply {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
}

/** What was asked of the merchant's half, and what it answers. */
interface MerchantAnswered {
  readonly reply: MerchantReply;
  /** The order of ours whose end is near; absent for whatever was not confirmed. */
  readonly notified?: string;
}

const CHECKS = { verification: CheckVerificationRequest, sale: CheckSaleRequest, transfer: CheckTransferRequest } as const;
const NOTIFICATIONS = { verification: VerificationNotification, sale: SaleNotification, transfer: TransferNotification } as const;
const SIGNATURES: Readonly<Record<DeviceOperation, (signed: CheckSigned, key: ControlKey) => string>> = {
  verification: checkVerificationSignature,
  sale: checkSaleSignature,
  transfer: checkTransferSignature,
};

/** A sender that proved nothing gets an empty body (protocol decisions, section 8). */
const FORBIDDEN: MerchantAnswered = { reply: { status: 403 } };
/** A message that breaks the interface; not even its fault is told, for nobody is known yet. */
const MALFORMED: MerchantAnswered = { reply: { status: 400 } };
const JSON_TYPE = 'application/json;charset=utf-8';

const answered = (body: object, notified?: string): MerchantAnswered => ({
  reply: { status: 200, contentType: JSON_TYPE, body: JSON.stringify(body) },
  ...(notified !== undefined && { notified }),
});

const operationOf = (segment: string | undefined): DeviceOperation | undefined =>
  DEVICE_OPERATIONS.find((operation) => operation === segment);

/** What the path below the merchant's address asks for (interface, section 4.3; protocol decisions, section 1). */
type Asked =
  | { readonly kind: 'check'; readonly operation: DeviceOperation; readonly invoiceId: string }
  | { readonly kind: 'notification'; readonly operation: DeviceOperation; readonly invoiceId: string | undefined };

const askedBy = ([first, ...rest]: readonly string[]): Asked | undefined => {
  const operation = operationOf(first);
  const [second, third] = rest;
  if (operation === undefined || second === undefined || rest.length > 2) return undefined;
  if (third === 'check') return { kind: 'check', operation, invoiceId: second };
  if (third === 'notification') return { kind: 'notification', operation, invoiceId: second };
  return third === undefined && second === 'notification' ? { kind: 'notification', operation, invoiceId: undefined } : undefined;
};

/**
 * The merchant's own server, as the upstream gateway calls it about orders that we performed there (interface, sections 4.6 and 4.8). It confirms what it
 * derived itself, and keeps nothing: any process answers the same.
 */
export class MerchantHalf {
  constructor(private readonly account: DeviceAccount) {}

  /** Undefined for a path that is none of the merchant's. Takes time linear in the request. */
  answer({
    method,
    path,
    body,
  }: {
    readonly method: string;
    readonly path: readonly string[];
    readonly body: string;
  }): MerchantAnswered | undefined {
    const asked = askedBy(path);
    if (asked === undefined || method !== 'POST') return undefined;
    const bytes = Buffer.from(body, 'utf8');
    return asked.kind === 'check' ? this.#check(asked, bytes) : this.#notification(asked, bytes);
  }

  #check({ operation, invoiceId }: Extract<Asked, { kind: 'check' }>, body: Uint8Array): MerchantAnswered {
    const read = readDeviceBody<CheckTransferRequest>(CHECKS[operation], body);
    if ('refused' in read) return MALFORMED;
    const { consumer, session, sourceOfFunds, destinationOfFunds } = read.ok;
    const { accessToken, nonce, token } = session;
    const { serialNumber } = consumer.device;
    const { account } = this;
    const isOurs =
      invoiceOfAccessToken(account, accessToken) === invoiceId && isOwnNonce(account, operation, { invoiceId, serialNumber, nonce });
    // No order of ours names a card by a reference, so that one which does is not as we sent it.
    if (!isOurs || sourceOfFunds?.reference !== undefined || destinationOfFunds?.reference !== undefined) return FORBIDDEN;
    const signed = { serialNumber, nonce, endpointId: account.endpointId, invoiceId };
    return answered({ invoiceId, session: { checkSignature: SIGNATURES[operation](signed, account.controlKey), nonce, token } });
  }

  #notification({ operation, invoiceId: named }: Extract<Asked, { kind: 'notification' }>, body: Uint8Array): MerchantAnswered {
    const read = readDeviceBody<Pick<SaleNotification, 'consumer' | 'session'>>(NOTIFICATIONS[operation], body);
    if ('refused' in read) return MALFORMED;
    const { consumer, session } = read.ok;
    const { accessToken, token } = session;
    const { account } = this;
    const invoiceId = invoiceOfAccessToken(account, accessToken);
    if (invoiceId === undefined || (named !== undefined && named !== invoiceId)) return FORBIDDEN;
    const { nonce } = deviceSession(account, operation, invoiceId, consumer.device.serialNumber);
    // The nonce proves device and operation where it comes; the interface has none here.
    if (session.nonce !== undefined && !isOwnNonce(account, operation, { invoiceId, ...consumer.device, nonce: session.nonce }))
      return FORBIDDEN;
    const checkSignature = notificationSignature({ nonce, endpointId: account.endpointId, invoiceId }, account.controlKey);
    return answered({ invoiceId, session: { checkSignature, nonce, token } }, invoiceId);
  }
}

const NOT_FOUND: Heard = { reply: { status: 404 }, reports: [] };

/**
 * Answers the upstream gateway's checks and card mapping notifications; of an order whose cards it names, the end is near.
 * @param others hears whatever is neither
 */
export const deviceListener = (account: DeviceAccount, others: CanListen | undefined): CanListen => {
  const half = new MerchantHalf(account);
  return {
    listen: (request) => {
      const answered = half.answer(request);
      if (answered === undefined) return others?.listen(request) ?? Promise.resolve(NOT_FOUND);
      const { reply, notified } = answered;
      return Promise.resolve({ reply, reports: notified === undefined ? [] : [{ kind: 'hint', key: notified as AttemptKey }] });
    },
  };
};
