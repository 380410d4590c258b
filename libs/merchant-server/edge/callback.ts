import { isOrderId, type ClientOrderId } from '@app/kernel';
import { callbackControl, FORM_REQUEST_TYPE, isControl, readJson } from '@app/gateway-protocol';
import type { DurableOrderEnds } from '../application/order-ends';
import { FINAL_STATUSES } from '../domain/order-end.events';
import { answered, FORBIDDEN, invalid, type MerchantServerAnswer } from './answer';
import type { MerchantServerRequest } from './request';

/** The members that a callback's `control` covers, and the control (protocol decisions, section 6), each with its greatest length. */
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

/** The form of this server's invoiceIds. */
const INVOICE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Receives the gateway's callback on the end of an order, by POST (JSON or a form) or by GET (protocol decisions, sections 6 and 12). Only the members that the checksum covers
 * are recorded; the gateway repeats the callback until it gets 200, which is answered once the record is durable.
 */
export const callback = async (ends: DurableOrderEnds, request: MerchantServerRequest): Promise<MerchantServerAnswer> => {
  const covered = coveredMembers(request);
  if ('missing' in covered) return invalid(`${covered.missing} must be text`);
  const { orderid: orderId, client_orderid: clientOrderId, control } = covered;
  const { product } = request;
  if (!isControl(callbackControl({ status: covered.status, orderId, clientOrderId }, product.controlKey), control)) return FORBIDDEN;
  // The checksum has no separator between orderid and client_orderid: only the form of either shows where the first one ends (safety, section 3.1).
  if (!isOrderId(orderId) && !INVOICE_ID.test(clientOrderId)) return invalid('neither orderid nor client_orderid has a form that is known');
  const status = FINAL_STATUSES.find((name) => name === covered.status);
  if (status === undefined) return invalid('status must be a final one');
  const result = await ends.remember({ product, clientOrderId: clientOrderId as ClientOrderId, orderId, status });
  return result === 'remembered' ? answered({}) : invalid('more ends were covered of this client_orderid than it can have');
};
