import { metadataOf } from '@app/event-store';
import type { FollowUpTransaction, LedgerReader, Transaction } from '@app/gateway-adapters/simulator';
import type { OrderId } from '@app/kernel';
import { isEventOf } from '@app/orders/domain';
import type { CallbackReceiver, ReceivedCallback } from '../../merchants/callback-receiver';
import type { ClientFollowUp } from '../clients/client-follow-up';
import type { ClientOrder } from '../clients/client-order';
import { followUpFaults, overdraftFaults } from './follow-up-faults';
import { chainFaults, isEnd, told, tornBatchFaults, type LoggedEvent, type Streams } from './whole-log';

export interface Records {
  readonly streams: Streams;
  readonly orders: readonly ClientOrder[];
  readonly receiver: CallbackReceiver;
  readonly ledger: LedgerReader;
}

interface LoggedOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly amountMinor: string;
  readonly hasCvv: boolean;
  readonly events: readonly LoggedEvent[];
}

interface AcceptedData {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly amount: { readonly minor: bigint };
  readonly plan: { readonly cvvHolder?: string };
}

interface Told {
  readonly attemptKeys: readonly string[];
  readonly ends: readonly LoggedEvent[];
  readonly isNeverHeardOf: boolean;
}

const ORDER_STREAM = /^(payment|recurring)-/;
const INTERRUPTED = 121;

const loggedOrders = (streams: Streams): readonly LoggedOrder[] =>
  [...streams].flatMap(([stream, events]) => {
    const [first] = events;
    if (!ORDER_STREAM.test(stream) || first === undefined || first.event.type !== 'OrderAccepted') return [];
    const { orderId, clientOrderId, amount, plan } = first.event.data as AcceptedData;
    return [{ orderId, clientOrderId, amountMinor: amount.minor.toString(), hasCvv: plan.cvvHolder !== undefined, events }];
  });

/** Counts a key once: a claim delayed by the log is renewed under the same key before a call is sent. */
const keysOf = (events: readonly LoggedEvent[]): readonly string[] => [
  ...new Set(events.flatMap(({ event }) => (event.type === 'AttemptStarted' ? [(event.data as { attemptKey: string }).attemptKey] : []))),
];

const toldBy = (events: readonly LoggedEvent[]): Told => ({
  attemptKeys: keysOf(events),
  ends: events.filter(isEnd),
  isNeverHeardOf: events.some(
    ({ event }) => event.type === 'AttemptNotAsked' && (event.data as { cause: string }).cause === 'never-heard-of',
  ),
});

const codeOf = ({ event }: LoggedEvent): number | undefined => (event.data as { code?: number }).code;
const STATUS_OF_END: Readonly<Record<string, string>> = {
  OrderApproved: 'approved',
  OrderDeclined: 'declined',
  OrderFiltered: 'filtered',
  OrderFailed: 'error',
};

const STATUS_OF_FOLLOW_UP_END: Readonly<Record<string, string>> = {
  FollowUpApproved: 'approved',
  FollowUpDeclined: 'declined',
  FollowUpFailed: 'error',
};

/** Compares one order in the log with the acquirer's ledger (safety, I1, I1b, I4 and I8). */
const ledgerFaults = ({ amountMinor, hasCvv, events }: LoggedOrder, transactions: readonly Transaction[]): string[] => {
  const { attemptKeys, ends, isNeverHeardOf } = toldBy(events);
  const faults: string[] = [];
  if (ends.length !== 1) faults.push(`has ${ends.length} ends`);
  if (attemptKeys.length > 1) faults.push(`has ${attemptKeys.length} attempts at the one gate of its plan`);
  if (events.some(({ event }) => event.type === 'LateResultConflict')) faults.push('holds a LateResultConflict');
  const charged = transactions.filter(({ state }) => state.status === 'approved');
  const [end] = ends;
  const isApproved = end?.event.type === 'OrderApproved';
  if (charged.length > 1) faults.push(`is charged ${charged.length} times`);
  if (isApproved !== (charged.length === 1)) faults.push(`ends ${end?.event.type}, and the ledger has ${charged.length} approved charges`);
  for (const { key, amount } of charged) {
    if (amount.minor.toString() !== amountMinor) faults.push(`is of ${amountMinor}, and ${amount.minor} was charged under ${key}`);
  }
  const unannounced = transactions.filter(({ key }) => !attemptKeys.includes(key));
  if (unannounced.length > 0) faults.push('the gate was asked without an AttemptStarted');
  if (end?.event.type === 'OrderFailed') {
    const isCvvLost = hasCvv && attemptKeys.length === 0;
    if (codeOf(end) !== INTERRUPTED || !(isCvvLost || isNeverHeardOf))
      faults.push('ends in error without having been interrupted before its gate heard of it');
  }
  return faults;
};

/** Transactions that reached the gate before the log contained the intent (safety, I8; architecture, rule 4). */
const intentFaults = ({ events }: LoggedOrder, taken: readonly (Transaction | FollowUpTransaction)[]): string[] => {
  const storedMs = new Map<string, number>();
  for (const { stored, event } of events) {
    if (event.type === 'AttemptStarted' || event.type === 'FollowUpStarted')
      storedMs.set((event.data as { attemptKey: string }).attemptKey, stored.createdMs);
  }
  return taken.flatMap(({ key, createdAt }) => {
    const ms = storedMs.get(key);
    return ms !== undefined && ms > createdAt ? [`the gate took ${key} ${ms - createdAt} ms before its intent was stored`] : [];
  });
};

/** Compares the acknowledgements and the last answer to the client with the log (safety, I2, I4 and I6). */
const clientFaults = (order: ClientOrder, logged: LoggedOrder | undefined): string[] => {
  const faults = [...order.faults];
  if (logged === undefined) return [...faults, order.isAcknowledged ? 'was acknowledged and is not in the log' : 'never came to be'];
  const ids = [...order.orderIds];
  if (ids.length !== 1 || ids[0] !== logged.orderId) faults.push(`clients were told ${ids.join(' and ')}, the log says ${logged.orderId}`);
  const [end] = toldBy(logged.events).ends;
  if (end === undefined) return [...faults, 'is not final'];
  const code = codeOf(end);
  const status = STATUS_OF_END[end.event.type];
  if (order.final?.status !== status || order.final?.code !== code?.toString())
    faults.push(`its client was told ${order.final?.status} ${order.final?.code} at last`);
  const { gateWord } = order.kind;
  const isGatesWord = status === gateWord.status && (gateWord.status === 'approved' || gateWord.code === code?.toString());
  if (!isGatesWord && end.event.type !== 'OrderFailed') faults.push(`its gate says ${JSON.stringify(gateWord)}`);
  const taken = logged.events.filter(({ event }) => event.type === 'FollowUpAccepted').length;
  if (end.event.type === 'OrderApproved' && taken !== order.followUps.length)
    faults.push(`${order.followUps.length} follow-ups were asked for, and the log has ${taken}`);
  return [
    ...faults,
    ...order.followUps.flatMap((followUp) => clientFollowUpFaults(followUp, logged).map((fault) => `${followUp.key} ${fault}`)),
  ];
};

/** A follow-up's outcome must be its gate's answer (safety, I2, I4 and I6). */
const clientFollowUpFaults = ({ kind, serials, final, faults }: ClientFollowUp, { events }: LoggedOrder): string[] => {
  const isApproved = toldBy(events).ends[0]?.event.type === 'OrderApproved';
  if (!isApproved) return serials.size === 0 ? faults : [...faults, 'was acknowledged of an order that was not approved'];
  const [serial, ...more] = serials;
  if (serial === undefined || more.length > 0) return [...faults, `was acknowledged under ${serials.size} serials`];
  const own = events.filter(({ stored, event }) => isEventOf(event, 'follow-up') && metadataOf(stored).correlation === serial);
  const [accepted, ...others] = own.filter(({ event }) => event.type === 'FollowUpAccepted');
  if (accepted === undefined || others.length > 0)
    return [...faults, `stands in the log ${own.length === 0 ? 'nowhere' : 'more than once'}`];
  const end = own.at(-1);
  const status = STATUS_OF_FOLLOW_UP_END[end?.event.type ?? ''];
  const code = end === undefined ? undefined : codeOf(end)?.toString();
  const found = [...faults];
  if (final?.status !== status || final?.code !== code) found.push(`its client was told ${final?.status} ${final?.code} at last`);
  const isGatesWord = status === kind.gateWord.status && (kind.gateWord.status === 'approved' || kind.gateWord.code === code);
  const isNeverHeardOf = status === 'error' && code === INTERRUPTED.toString();
  if (!isGatesWord && !isNeverHeardOf) found.push(`its gate says ${JSON.stringify(kind.gateWord)}`);
  return found;
};

/** Each final order with an address was delivered under one id with one text; follow-ups only at notify_url (safety, I5). */
const callbackFaults = (order: ClientOrder, logged: LoggedOrder | undefined, receiver: CallbackReceiver): string[] => {
  const { notifies } = order.kind;
  const events = logged?.events ?? [];
  const ends = toldBy(events).ends;
  const followUpEnds = events.filter(({ event }) => Object.hasOwn(STATUS_OF_FOLLOW_UP_END, event.type));
  return [
    ...callbacksFaults(receiver.at(order.callbackPath), notifies === 'none' ? [] : ends),
    ...callbacksFaults(receiver.at(order.notifyPath), notifies === 'callback-and-notify' ? [...ends, ...followUpEnds] : []),
  ];
};

const callbacksFaults = (tries: readonly ReceivedCallback[], facts: readonly LoggedEvent[]): string[] => {
  const ids = new Set(facts.map(({ stored }) => stored.id as string));
  const strange = tries.filter(({ webhookId }) => !ids.has(webhookId));
  return [
    ...strange.map(({ webhookId }) => `a callback of nothing that happened, ${webhookId}`),
    ...[...ids].flatMap((id) =>
      triesFaults(tries.filter(({ webhookId }) => webhookId === id)).map((fault) => `${fault}, the fact is ${id}`),
    ),
  ];
};

const triesFaults = (tries: readonly ReceivedCallback[]): string[] => {
  const faults: string[] = [];
  const taken = tries.filter(({ behaviour }) => behaviour.kind !== 'reset');
  if (taken.length === 0) faults.push(`no callback arrived in ${tries.length} tries`);
  const bodies = new Set(taken.map(({ body }) => body));
  if (bodies.size > 1) faults.push(`callbacks of one fact differ: ${[...bodies].join(' | ')}`);
  return faults;
};

/** Compares clients, log, ledger and callbacks of a service at rest. An empty list means no faults. */
export const faultsOf = ({ streams, orders, receiver, ledger }: Records): string[] => {
  const logged = loggedOrders(streams);
  const byClientOrderId = new Map(logged.map((order) => [order.clientOrderId, order]));
  const faults = [...chainFaults(streams), ...tornBatchFaults(streams)];
  for (const order of logged) {
    const about = `${order.clientOrderId} (${order.orderId})`;
    const orderId = order.orderId as OrderId;
    const [transactions, followUps] = [ledger.transactions(orderId), ledger.followUps(orderId)];
    const found = [
      ...ledgerFaults(order, transactions),
      ...followUpFaults(
        order.events.map(({ event }) => event),
        followUps,
      ),
      ...intentFaults(order, [...transactions, ...followUps]),
      ...overdraftFaults(transactions, followUps),
    ];
    faults.push(...found.map((fault) => `${about}: ${fault}${told(order.events)}`));
  }
  for (const order of orders) {
    const own = byClientOrderId.get(order.clientOrderId);
    const about = `${order.clientOrderId} (${order.kind.name}, ${order.bornIn})`;
    const found = [...clientFaults(order, own), ...callbackFaults(order, own, receiver)];
    faults.push(...found.map((fault) => `${about}: ${fault}${told(own?.events)}`));
  }
  const known = new Set(logged.map(({ orderId }) => orderId));
  const strange = ledger.transactions().filter(({ orderId }) => !known.has(orderId));
  faults.push(...strange.map(({ orderId, key }) => `${orderId}: the gate was asked under ${key}, and the log has no such order`));
  const twice = [...ledger.approvedChargesByOrder()].filter(([, charges]) => charges > 1);
  faults.push(...twice.map(([orderId, charges]) => `${orderId}: charged ${charges} times (safety, I1)`));
  faults.push(...ledger.violations().map((request) => `the gate was sent what no client may send: ${JSON.stringify(request)}`));
  return faults;
};
