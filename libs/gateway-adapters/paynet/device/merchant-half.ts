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
import type { CanListen, InboundResult } from '../../contract';

interface MerchantReply {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
}

interface MerchantAnswered {
  readonly reply: MerchantReply;
  readonly notified?: string;
}

const CHECKS = { verification: CheckVerificationRequest, sale: CheckSaleRequest, transfer: CheckTransferRequest } as const;
const NOTIFICATIONS = { verification: VerificationNotification, sale: SaleNotification, transfer: TransferNotification } as const;
const SIGNATURES: Readonly<Record<DeviceOperation, (signed: CheckSigned, key: ControlKey) => string>> = {
  verification: checkVerificationSignature,
  sale: checkSaleSignature,
  transfer: checkTransferSignature,
};

/** An unauthenticated sender gets an empty body (protocol decisions, section 8). */
const FORBIDDEN: MerchantAnswered = { reply: { status: 403 } };
/** The reply gives no reason, because the sender is not yet authenticated. */
const MALFORMED: MerchantAnswered = { reply: { status: 400 } };
const JSON_TYPE = 'application/json;charset=utf-8';

const answered = (body: object, notified?: string): MerchantAnswered => ({
  reply: { status: 200, contentType: JSON_TYPE, body: JSON.stringify(body) },
  ...(notified !== undefined && { notified }),
});

const operationOf = (segment: string | undefined): DeviceOperation | undefined =>
  DEVICE_OPERATIONS.find((operation) => operation === segment);

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
 * Plays the merchant's server for orders that we performed at the upstream gateway (interface, sections 4.6 and 4.8).
 * It confirms only derived values and stores nothing, so any process can answer.
 */
export class MerchantHalf {
  constructor(private readonly account: DeviceAccount) {}

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
    // Our orders never name a card by a reference, so a request with one was altered.
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
    // The interface has no nonce here; if one is sent, it proves the device and the operation.
    if (session.nonce !== undefined && !isOwnNonce(account, operation, { invoiceId, ...consumer.device, nonce: session.nonce }))
      return FORBIDDEN;
    const checkSignature = notificationSignature({ nonce, endpointId: account.endpointId, invoiceId }, account.controlKey);
    return answered({ invoiceId, session: { checkSignature, nonce, token } }, invoiceId);
  }
}

const NOT_FOUND: InboundResult = { reply: { status: 404 }, reports: [] };

/**
 * Answers the upstream gateway's checks and card mapping notifications. A notification also triggers an inquiry: its order is about to
 * finish.
 * @param others receives all other requests
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
