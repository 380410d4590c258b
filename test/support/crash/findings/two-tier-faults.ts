import type { StreamName } from '@app/event-store';
import type { LedgerReader } from '@app/gateway-adapters/simulator';
import type { OrderId } from '@app/kernel';
import type { Accepted } from '../../merchants/merchant';
import { chainFaults, isEnd, readLogIn, told, type LoggedEvent, type Streams } from './whole-log';

export interface TwoTierRecords {
  readonly accepted: readonly Accepted[];
  readonly hereDir: string;
  readonly thereDir: string;
  readonly ledger: Pick<LedgerReader, 'approvedChargesByOrder' | 'violations'>;
}

interface LoggedOrder {
  readonly stream: StreamName;
  readonly orderId: OrderId;
  readonly clientOrderId: string;
  readonly events: readonly LoggedEvent[];
  readonly end: string | undefined;
  readonly keys: readonly string[];
}

const ordersIn = (streams: Streams): readonly LoggedOrder[] =>
  [...streams].flatMap(([stream, events]) => {
    const [first] = events;
    if (first?.event.type !== 'OrderAccepted') return [];
    const { orderId, clientOrderId } = first.event.data as { readonly orderId: OrderId; readonly clientOrderId: string };
    const started = events.filter(({ event }) => event.type === 'AttemptStarted');
    // A renewed claim starts the attempt again under its key.
    const keys = [...new Set(started.map(({ event }) => (event.data as { readonly attemptKey: string }).attemptKey))];
    return [{ stream, orderId, clientOrderId, events, end: events.find(isEnd)?.event.type, keys }];
  });

/**
 * Compares an installation with its upstream gateway. Every accepted order is final, charged at most once, and has the same end in both
 * logs and the ledger.
 */
export const twoTierFaults = async ({ accepted, hereDir, thereDir, ledger }: TwoTierRecords): Promise<readonly string[]> => {
  const [hereStreams, thereStreams] = [await readLogIn(hereDir), await readLogIn(thereDir)];
  const here = new Map(ordersIn(hereStreams).map((order) => [order.clientOrderId, order]));
  const there = new Map(ordersIn(thereStreams).map((order) => [order.clientOrderId, order]));
  const charges = ledger.approvedChargesByOrder();
  const faults = [...chainFaults(hereStreams), ...chainFaults(thereStreams)];
  for (const { clientOrderId, orderId } of accepted) {
    const order = here.get(clientOrderId);
    if (order?.orderId !== orderId)
      faults.push(`${clientOrderId} was acknowledged as ${orderId}, and the log has ${order?.orderId ?? 'none'}`);
  }
  for (const order of here.values()) {
    const upstream = order.keys.flatMap((key) => there.get(key) ?? []);
    const charged = upstream.reduce((sum, { orderId }) => sum + (charges.get(orderId) ?? 0), 0);
    const story = `${told(order.events)}${upstream.map(({ events }) => `\n    there:${told(events)}`).join('')}`;
    if (order.end === undefined) faults.push(`${order.clientOrderId} is not final${story}`);
    if (charged > 1) faults.push(`${order.clientOrderId} was charged ${charged} times${story}`);
    if ((charged === 1) !== (order.end === 'OrderApproved'))
      faults.push(`${order.clientOrderId}: ${order.end}, charged ${charged} times${story}`);
  }
  const ours = new Set([...here.values()].flatMap(({ keys }) => keys));
  for (const order of there.values()) {
    if (!ours.has(order.clientOrderId))
      faults.push(`${order.clientOrderId} is at the upstream gateway, and no attempt of ours${told(order.events)}`);
    const isCharged = charges.get(order.orderId) === 1;
    if (isCharged !== (order.end === 'OrderApproved'))
      faults.push(`there ${order.orderId}: ${order.end}, charged: ${isCharged}${told(order.events)}`);
  }
  const known = new Set([...there.values()].map(({ orderId }) => orderId));
  for (const [orderId, count] of charges) {
    if (!known.has(orderId) || count > 1) faults.push(`the ledger has ${count} charges of ${orderId}`);
  }
  return [...faults, ...ledger.violations().map((request) => `the ledger refused ${JSON.stringify(request)}`)];
};
