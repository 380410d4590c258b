import { eventId, type StoredEvent } from '@app/event-store';
import { FORGED_CARD } from '../forging-app';
import type { World } from '../world';
import type { Report } from './report';

/** The least gap behind a first try, by the schedule of callbacks with its jitter. */
const FIRST_GAP_MS_MIN = 13_500;

/** The log's order of an invoice. */
const orderOf = (invoiceId: string, events: readonly StoredEvent[]): string | undefined => {
  const accepted = events.find(({ type, data }) => type === 'OrderAccepted' && data.includes(invoiceId));
  return accepted === undefined ? undefined : (JSON.parse(accepted.data) as { readonly orderId: string }).orderId;
};

/** No gate is asked for an order that the merchant server did not confirm itself. */
export const checkConfirmations = (world: World, events: readonly StoredEvent[], report: Report): void => {
  const asked = new Set<string>(world.gates.flatMap(({ book }) => book.map(({ orderId }) => orderId)));
  for (const { device, invoices } of world.devices.records)
    for (const invoiceId of invoices) {
      if (world.instances.line.confirmed.has(invoiceId)) continue;
      const orderId = orderOf(invoiceId, events);
      if (orderId !== undefined && asked.has(orderId)) report('a device order is charged once its merchant confirms it', device, invoiceId);
    } // prettier-ignore
};

/** What failed before the order's end was the first try; the next one follows by the schedule. Whoever sets a clock makes it due. */
export const checkNotifications = (world: World, events: readonly StoredEvent[], report: Report): void => {
  if (world.happened.has('instance.jumps') || world.happened.has('clocks.set-back')) return;
  const deliveries = world.instances.line.notifications.filter(({ isDelivery }) => isDelivery);
  for (const { type, stream, data, createdMs } of events) {
    if (type !== 'OrderApproved' || !data.includes('"notification"')) continue;
    const id = eventId(stream, 'notification', 0);
    const next = deliveries.find(({ webhookId }) => webhookId === id);
    if (next !== undefined && next.atMs - createdMs < FIRST_GAP_MS_MIN / world.callbackSpeed)
      report('a notification is repeated by its schedule', stream, `after ${next.atMs - createdMs} ms`);
  }
};

/** A merchant server believes no card that its consumer's own app names. */
export const checkMappings = (own: readonly StoredEvent[], report: Report): void => {
  for (const { stream, type, data } of own) if (data.includes(FORGED_CARD)) report('a card mapping is of the gateway', stream, type);
};
