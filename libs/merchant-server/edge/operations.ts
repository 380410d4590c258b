import { isOrderId, type ClientOrderId, formatAmount, money, type Currency } from '@app/kernel';
import {
  callbackControl,
  FORM_REQUEST_TYPE,
  isControl,
  readJson,
  ClientIdsRequest,
  RandomSumRequest,
  readDeviceBody,
  InitiateSaleRequest,
  InitiateTransferRequest,
  InitiateVerificationRequest,
} from '@app/gateway-protocol';
import { commissionRange } from '@app/configuration';
import { check } from './check';
import { type MerchantServerAnswer, answered, FORBIDDEN, invalid, type MerchantServerRequest } from './request';
import type { MountableMerchantServer } from './mountable-merchant-server';
import { notification } from './notification';
import type { DurableOrderEnds } from '../application/order-ends';
import { FINAL_STATUSES } from '../domain/order-end';
import type { ConsumerAuthentication, IssueAccessTokenHandler } from '../application/issue-access-token.handler';
import type { ConsumerCards, InvoiceOfConsumer } from '../application/consumer-cards';
import type { InvoiceId } from '../domain/terms';
import type { InvoiceCard, InvoiceOrder } from '../domain/invoice';
import type { OpenInvoiceHandler } from '../application/open-invoice.handler';

type Message = InitiateVerificationRequest | InitiateSaleRequest | InitiateTransferRequest;

const opened = async (
  handler: OpenInvoiceHandler,
  { product }: MerchantServerRequest,
  { consumer, session }: Message,
  order: InvoiceOrder,
  more: object = {},
): Promise<MerchantServerAnswer> => {
  const result = await handler.handle({
    product,
    accessToken: session.accessToken,
    serialNumber: consumer.device.serialNumber,
    order,
  });
  switch (result.kind) {
    case 'opened': {
      const { endpointId, invoiceId, nonce, signature } = result;
      return answered({ endpointId, invoiceId, session: { nonce, signature }, ...more });
    }
    case 'forbidden':
      return FORBIDDEN;
    case 'currency-not-served':
      return invalid('transaction.currency is not served for this operation');
  }
};

const amountOf = ({ transaction }: InitiateSaleRequest | InitiateTransferRequest) =>
  money(BigInt(transaction.amountCentis), transaction.currency as Currency);

const binsOf = ({ fromBin, toBin }: Pick<InitiateTransferRequest, 'fromBin' | 'toBin'>) => ({
  fromBin: fromBin?.toString(),
  toBin: toBin?.toString(),
});
const isOther = (own: string | undefined, inside: string | undefined): boolean =>
  own !== undefined && inside !== undefined && own !== inside;

const initiateVerification = async (handler: OpenInvoiceHandler, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const message = readDeviceBody(InitiateVerificationRequest, request.body);
  if ('refused' in message) return invalid(message.refused.message);
  const { currency } = message.ok.transaction;
  return opened(handler, request, message.ok, { operation: 'verification', currency: currency as Currency });
};

const initiateSale = async (handler: OpenInvoiceHandler, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const message = readDeviceBody(InitiateSaleRequest, request.body);
  if ('refused' in message) return invalid(message.refused.message);
  return opened(handler, request, message.ok, { operation: 'sale', amount: amountOf(message.ok) });
};

/** Adds the minimum and maximum commission if the product has a table (protocol decisions, section 8). */
const initiateTransfer = async (handler: OpenInvoiceHandler, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const message = readDeviceBody(InitiateTransferRequest, request.body);
  if ('refused' in message) return invalid(message.refused.message);
  const amount = amountOf(message.ok);
  const { transaction, ...body } = message.ok;
  const [own, inside] = [binsOf(body), binsOf(transaction)];
  if (isOther(own.fromBin, inside.fromBin) || isOther(own.toBin, inside.toBin)) {
    return invalid('transaction must not name other BINs than the body');
  }
  const bins = { fromBin: own.fromBin ?? inside.fromBin, toBin: own.toBin ?? inside.toBin };
  const range = commissionRange(request.product, amount.minor, bins);
  const rates = range && { rates: { min: formatAmount(range.min), max: formatAmount(range.max) } };
  return opened(handler, request, message.ok, { operation: 'transfer', amount }, rates);
};

/** Issues an access token to an app; the port identifies the consumer (protocol decisions, section 8). */
const requestAccessToken = async (
  consumers: ConsumerAuthentication,
  handler: IssueAccessTokenHandler,
  { product, query, header }: MerchantServerRequest,
): Promise<MerchantServerAnswer> => {
  const known = await consumers.authenticate({ product, query, header });
  switch (known.kind) {
    case 'known':
      return answered({ session: { accessToken: await handler.handle(product, known) } });
    case 'refused':
      return FORBIDDEN;
    case 'malformed':
      return invalid(known.message);
  }
};

const invoiceOf = ({ product, invoiceId = '' }: MerchantServerRequest, { consumer, session }: ClientIdsRequest): InvoiceOfConsumer => ({
  product,
  invoiceId: invoiceId as InvoiceId,
  accessToken: session.accessToken,
  serialNumber: consumer.device.serialNumber,
});

/** The id is repeated, because apps read either member. */
const shown = (member: 'sourceCard' | 'destinationCard', card: InvoiceCard | undefined): object => {
  if (card === undefined) return {};
  const { bin, clientCardId } = card;
  return { [member]: { bin, reference: { clientCardId } }, [`${member}RefId`]: clientCardId };
};

/** Returns the ids for reusing an invoice's cards (protocol decisions, section 8). */
const clientIds = async (cards: ConsumerCards, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const read = readDeviceBody(ClientIdsRequest, request.body);
  if ('refused' in read) return invalid(read.refused.message);
  const found = await cards.of(invoiceOf(request, read.ok));
  if (found.kind === 'forbidden') return FORBIDDEN;
  const { source, destination } = found;
  return answered({ invoiceId: request.invoiceId, ...shown('sourceCard', source), ...shown('destinationCard', destination) });
};

const recordRandomSum = async (cards: ConsumerCards, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const read = readDeviceBody(RandomSumRequest, request.body);
  if ('refused' in read) return invalid(read.refused.message);
  const result = await cards.recordRandomSum(invoiceOf(request, read.ok), read.ok.transaction.randomSumCentis);
  switch (result.kind) {
    case 'recorded':
      return answered({ invoiceId: request.invoiceId });
    case 'no-card-yet':
      return invalid('no card of this invoice was mapped');
    case 'forbidden':
      return FORBIDDEN;
  }
};

/** The members covered by a callback's `control`, and the control (protocol decisions, section 6), with their maximum lengths. */
const LENGTHS = { status: 32, orderid: 128, client_orderid: 128, control: 40 } as const;
type Member = keyof typeof LENGTHS;
type Covered = { readonly [Name in Member]: string };

const textOf = (value: unknown, name: Member): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= LENGTHS[name] ? value : undefined;

const covered = (valueOf: (name: Member) => unknown): Covered | { readonly missing: Member } => {
  const found = new Map<Member, string>();
  for (const name of Object.keys(LENGTHS) as Member[]) {
    const text = textOf(valueOf(name), name);
    if (text === undefined) return { missing: name };
    found.set(name, text);
  }
  return Object.fromEntries(found) as Covered;
};

const isForm = ({ header }: MerchantServerRequest): boolean => header('content-type')?.toLowerCase().startsWith(FORM_REQUEST_TYPE) === true;

const coveredMembers = (request: MerchantServerRequest): Covered | { readonly missing: Member | 'body' } => {
  const { method, query, body } = request;
  const form = method === 'GET' ? query : isForm(request) ? new URLSearchParams(Buffer.from(body).toString('utf8')) : undefined;
  if (form !== undefined) return covered((name) => (form.getAll(name).length === 1 ? form.get(name) : undefined));
  const json = readJson(body);
  if ('refused' in json || typeof json.ok !== 'object' || json.ok === null) return { missing: 'body' };
  const members = json.ok as Readonly<Record<string, unknown>>;
  return covered((name) => (Object.hasOwn(members, name) ? members[name] : undefined));
};

const INVOICE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Receives the gateway's callback on the end of an order, by POST (JSON or a form) or GET (protocol decisions, sections 6 and 12).
 * Records only members covered by the checksum. Answers 200 only after the record is durable; until then the gateway repeats the callback.
 */
const callback = async (ends: DurableOrderEnds, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const covered = coveredMembers(request);
  if ('missing' in covered) return invalid(`${covered.missing} must be text`);
  const { orderid: orderId, client_orderid: clientOrderId, control } = covered;
  const { product } = request;
  if (!isControl(callbackControl({ status: covered.status, orderId, clientOrderId }, product.controlKey), control)) return FORBIDDEN;
  // The checksum has no separator between orderid and client_orderid, so one of them must have a known form (safety, section 3.1).
  if (!isOrderId(orderId) && !INVOICE_ID.test(clientOrderId)) return invalid('neither orderid nor client_orderid has a form that is known');
  const status = FINAL_STATUSES.find((name) => name === covered.status);
  if (status === undefined) return invalid('status must be a final one');
  const result = await ends.remember({ product, clientOrderId: clientOrderId as ClientOrderId, orderId, status });
  return result === 'remembered' ? answered({}) : invalid('more ends were covered of this client_orderid than it can have');
};

export interface MerchantServerOperationEntry {
  readonly methods: readonly string[];
  readonly run: (server: MountableMerchantServer, request: MerchantServerRequest) => Promise<MerchantServerAnswer>;
}

const POST = ['POST'];

/** Every operation of the merchant server (interface, section 4.3; protocol decisions, section 8). */
export const SERVED_OPERATIONS = {
  'request-access-token': {
    methods: ['GET'],
    run: (server, request) => requestAccessToken(server.consumers, server.issueAccessToken, request),
  },
  'initiate-verification': { methods: POST, run: (server, request) => initiateVerification(server.openInvoice, request) },
  'initiate-sale': { methods: POST, run: (server, request) => initiateSale(server.openInvoice, request) },
  'initiate-transfer': { methods: POST, run: (server, request) => initiateTransfer(server.openInvoice, request) },
  'check-verification': { methods: POST, run: (server, request) => check(server.answerCheck, 'verification', request) },
  'check-sale': { methods: POST, run: (server, request) => check(server.answerCheck, 'sale', request) },
  'check-transfer': { methods: POST, run: (server, request) => check(server.answerCheck, 'transfer', request) },
  'notification-verification': { methods: POST, run: (server, request) => notification(server, 'verification', request) },
  'notification-sale': { methods: POST, run: (server, request) => notification(server, 'sale', request) },
  'notification-transfer': { methods: POST, run: (server, request) => notification(server, 'transfer', request) },
  'get-client-ids': { methods: POST, run: (server, request) => clientIds(server.consumerCards, request) },
  'random-sum': { methods: POST, run: (server, request) => recordRandomSum(server.consumerCards, request) },
  callback: { methods: ['POST', 'GET'], run: (server, request) => callback(server.orderEnds, request) },
} as const satisfies Readonly<Record<string, MerchantServerOperationEntry>>;

export type MerchantServerOperationName = keyof typeof SERVED_OPERATIONS;
export const MERCHANT_SERVER_OPERATIONS: readonly string[] = Object.keys(SERVED_OPERATIONS);
