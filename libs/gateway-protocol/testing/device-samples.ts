import type { FieldRefusal, MessageClass } from '../shared/validation/message-fields';
import { membersOf } from '../group-b/members/member-table';
import { readDeviceMessage } from '../group-b/read-device-message';
import * as messages from '../group-b/messages';

// Samples of every message with every member. The card numbers are standard test numbers.

const TOKEN = '0f7d3c1e-2222-4a4a-8b8b-333333333333';
const ACCESS_TOKEN = 'tok'.repeat(16);
const NONCE = 'non'.repeat(16);
const SIGNATURE = 'DD5F19E3467FFBC7C1263422A7B21471394F0799';
const INVOICE_ID = '33333333-3333-3333-3333-333333333333';

const device = { serialNumber: 'SN-1', imei: '35-209900-1761' };
const namedConsumer = { device: { serialNumber: 'SN-1' } };
const location = { lat: 50.0755, lng: 14.4378 };
const address = { city: 'Prague', country: 'CZE', postcodeZip: '110 00', state: 'PR', street: 'Long 1', street2: 'Back yard' };
const billing = { address, phone: '+420 123 456' };
const order = { description: 'A thing', siteUrl: 'https://shop.example', purpose: 'Account 7' };
const initiateConsumer = { device, ipAddresses: ['203.0.113.9', '1.2.3.4'] };
const consumer = { ...initiateConsumer, email: 'john.smith@example.com', birthDay: '29021980' };
const signedSession = { accessToken: ACCESS_TOKEN, nonce: NONCE, signature: SIGNATURE };
const checkSession = { ...signedSession, token: TOKEN };
const runningSession = { accessToken: ACCESS_TOKEN, token: TOKEN };
const notificationSession = { ...runningSession, nonce: NONCE };
const checkedSession = { checkSignature: SIGNATURE, nonce: NONCE, token: TOKEN };
const verified = { currency: 'EUR' };
const paid = { currency: 'EUR', amountCentis: 12_345 };
const holder = { firstName: 'John', lastName: 'Smith', printedName: 'JOHN SMITH' };
const knownCard = { expiry: { month: 12, year: 2031 }, holder, number: '4444333322221111' };
const card = { ...knownCard, securityCode: '123' };
const mappedReference = { serverCardId: 'ab3de5fgh7jklm9npqrc', uniqueReferenceCardId: 123_456_789 };
const mappedCard = { bin: 444_433, reference: mappedReference };
const clientCard = { bin: 444_433, reference: { clientCardId: 'c-1' } };
const toCheck = { reference: { clientCardId: 'c-1' } };
const performed = { consumer, session: signedSession, location, billing, order };
const initiated = { consumer: initiateConsumer, location, session: { accessToken: ACCESS_TOKEN } };
const status = {
  invoiceId: INVOICE_ID,
  session: { token: TOKEN },
  bankOrderId: 'PNTEST-1',
  redirectUrl: 'https://gateway.example/3ds/1',
  errorCode: 100,
  errorMessage: 'Do not honour',
  secure3DAuthStatus: 'AUTHENTICATED',
  randomSumAuthStatus: 'NOT_AUTHENTICATED',
} as const;
const statusTransaction = {
  amountCentis: 12_345,
  currency: 'EUR',
  commissionCentis: 185,
  orderCreatedDate: '2026-11-21 21:42:54 UTC',
  transactionCreatedDate: '2026-11-21 21:42:55 UTC',
};
const fee = { assignedId: 'sim-a', commissionCentis: 185, currency: 'EUR' };
const errorMembers = { code: '1234567890123456', message: 'consumer.email is required' };
const checked = { invoiceId: INVOICE_ID, session: checkedSession, transaction: { currency: 'EUR', randomSumCentis: 111 } };

type Instances = { readonly [Name in keyof typeof messages]: (typeof messages)[Name] extends new () => infer Message ? Message : never };
export type BodyName = Extract<keyof Instances, `${string}Request` | `${string}Response` | `${string}Notification`>;

export const DEVICE_SAMPLES: { readonly [Name in BodyName]: Instances[Name] } = {
  InitiateVerificationRequest: { ...initiated, transaction: verified },
  InitiateSaleRequest: { ...initiated, transaction: paid },
  InitiateTransferRequest: {
    ...initiated,
    transaction: { ...paid, fromBin: '444433', toBin: 555_544 },
    fromBin: '444433',
    toBin: '555544',
  },
  InitiateResponse: { endpointId: '1001', invoiceId: INVOICE_ID, session: { nonce: NONCE, signature: SIGNATURE } },
  InitiateTransferResponse: {
    endpointId: '1004',
    invoiceId: INVOICE_ID,
    session: { nonce: NONCE, signature: SIGNATURE },
    rates: { min: '0.30', max: '1.50' },
  },
  PerformVerificationRequest: { ...performed, transaction: verified, sourceCard: card },
  PerformSaleRequest: { ...performed, transaction: paid, sourceOfFunds: { card } },
  PerformTransferRequest: {
    ...performed,
    transaction: paid,
    sourceOfFunds: { reference: { clientCardId: 'c-1', securityCode: '1234' } },
    destinationOfFunds: { card: { number: '5555555555554444' } },
  },
  SessionRequest: { session: runningSession },
  AcceptedResponse: { invoiceId: INVOICE_ID, session: { token: TOKEN } },
  CheckVerificationRequest: { consumer: namedConsumer, session: checkSession },
  CheckSaleRequest: { consumer: namedConsumer, session: checkSession, sourceOfFunds: toCheck },
  CheckTransferRequest: { consumer: namedConsumer, session: checkSession, sourceOfFunds: toCheck, destinationOfFunds: toCheck },
  CheckVerificationResponse: {
    ...checked,
    billing,
    consumer: { email: consumer.email, birthDay: consumer.birthDay, ipAddresses: consumer.ipAddresses },
  },
  CheckSaleResponse: {
    ...checked,
    consumer: { email: consumer.email },
    sourceOfFunds: { reference: { serverCardId: mappedReference.serverCardId }, card: knownCard },
  },
  CheckTransferResponse: {
    ...checked,
    consumer: { email: consumer.email },
    sourceOfFunds: { reference: { serverCardId: mappedReference.serverCardId }, card: knownCard },
    destinationOfFunds: { card: { number: '5555555555554444' }, reference: { serverCardId: 'zb3de5fgh7jklm9npqrc' } },
  },
  VerificationStatusResponse: { ...status, state: 'DECLINED' },
  SaleStatusResponse: { ...status, orderId: 't0123456789abcdr', transaction: statusTransaction, state: 'DECLINED' },
  TransferStatusResponse: {
    ...status,
    orderId: 't0123456789abcdr',
    transaction: statusTransaction,
    state: 'PROCESSING',
    transferFeeList: [fee, { ...fee, assignedId: 'sim-b', commissionCentis: 0 }],
  },
  VerificationNotification: {
    consumer: namedConsumer,
    session: notificationSession,
    reference: mappedReference,
    sourceCard: { bin: 444_433 },
  },
  SaleNotification: { consumer: namedConsumer, session: notificationSession, sourceCard: mappedCard },
  TransferNotification: { consumer: namedConsumer, session: notificationSession, sourceCard: mappedCard, destinationCard: mappedCard },
  NotificationResponse: { invoiceId: INVOICE_ID, session: checkedSession },
  ClientIdsRequest: { consumer: namedConsumer, session: { accessToken: ACCESS_TOKEN } },
  RandomSumRequest: { consumer: namedConsumer, session: { accessToken: ACCESS_TOKEN }, transaction: { randomSumCentis: 111 } },
  RandomSumResponse: { invoiceId: INVOICE_ID },
  ClientIdsResponse: {
    invoiceId: INVOICE_ID,
    sourceCard: clientCard,
    destinationCard: clientCard,
    sourceCardRefId: 'c-1',
    destinationCardRefId: 'c-1',
  },
  AccessTokenResponse: { session: { accessToken: ACCESS_TOKEN } },
  MerchantErrorResponse: { error: { cause: 'SERVER_FAILED', ...errorMembers }, invoiceId: INVOICE_ID },
  PerformErrorResponse: { error: { cause: 'INVALID_REQUEST', ...errorMembers }, invoiceId: INVOICE_ID },
  StatusErrorResponse: { error: { cause: 'ORDER_NOT_FOUND', ...errorMembers }, invoiceId: INVOICE_ID },
};

export const BODY_NAMES = Object.keys(DEVICE_SAMPLES) as readonly BodyName[];

export const classOf = (name: BodyName): new () => object => messages[name];

export const sampleOf = (name: BodyName): unknown => JSON.parse(JSON.stringify(DEVICE_SAMPLES[name])) as unknown;

export const read = (name: BodyName, json: unknown) => readDeviceMessage<object>(classOf(name), json);

export const refusal = (field: string, complaint: string): { readonly refused: FieldRefusal } => ({
  refused: { field, message: `${field} ${complaint}` },
});

/** At a path such as `consumer.device.imei` or `transferFeeList.0.currency`. */
export const at = (json: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], json);

export const withValue = (json: unknown, path: string, value: unknown): unknown => {
  const copy = structuredClone(json) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  const parent = names.reduce<Record<string, unknown>>((held, name) => held[name] as Record<string, unknown>, copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
};

/** As plain objects without redaction. */
export const shown = (message: unknown): unknown => {
  if (Array.isArray(message)) return message.map(shown);
  if (typeof message !== 'object' || message === null) return message;
  return Object.fromEntries(Object.entries(message).map(([key, value]) => [key, shown(value)]));
};

export const pathsOf = (Message: MessageClass, json: unknown, prefix = ''): readonly string[] =>
  membersOf(Message).flatMap(({ name, child }) => {
    const value = (json as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) return [];
    const path = `${prefix}${name}`;
    if (child === undefined) return [path];
    return [path, ...(Array.isArray(value) ? pathsOf(child, value[0], `${path}.0.`) : pathsOf(child, value, `${path}.`))];
  });
