import { eventId, type StoredEvent, type StreamName } from '@app/event-store';
import { FORGED_CARD } from '../forging-app';
import { WITHDRAWN } from '../gate-ledger';
import { CHOOSING_CURRENCY } from '../installation';
import type { World } from '../world';
import type { Report } from './report';

/** The smallest gap after a first attempt, by the callback schedule with its jitter. */
const FIRST_GAP_MS_MIN = 13_500;

const acceptanceOf = (invoiceId: string, events: readonly StoredEvent[]): StoredEvent | undefined =>
  events.find(({ type, data }) => type === 'OrderAccepted' && data.includes(invoiceId));

const orderOf = (invoiceId: string, events: readonly StoredEvent[]): string | undefined => {
  const accepted = acceptanceOf(invoiceId, events);
  return accepted === undefined ? undefined : (JSON.parse(accepted.data) as { readonly orderId: string }).orderId;
};

/** No gate is called for an order that the merchant server did not confirm itself. */
export const checkConfirmations = (world: World, events: readonly StoredEvent[], report: Report): void => {
  const asked = new Set<string>(world.gates.flatMap(({ book }) => book.map(({ orderId }) => orderId)));
  for (const { device, invoices } of world.devices.records)
    for (const invoiceId of invoices) {
      if (world.instances.line.confirmed.has(invoiceId)) continue;
      const orderId = orderOf(invoiceId, events);
      if (orderId !== undefined && asked.has(orderId)) report('a device order is charged once its merchant confirms it', device, invoiceId);
    } // prettier-ignore
};

/** If the consumer chooses a fee, only the gate of that fee is called, after the choice, and it charges the offered commission. */
export const checkFees = (world: World, events: readonly StoredEvent[], report: Report): void => {
  for (const { device, order, invoices, fee } of world.devices.records) {
    if (order.operation !== 'transfer' || order.currency !== CHOOSING_CURRENCY) continue;
    const orderIds = new Set(invoices.map((invoiceId) => orderOf(invoiceId, events)));
    for (const { profile, book } of world.gates)
      for (const { orderId, outcome } of book) {
        if (!orderIds.has(orderId)) continue;
        if (fee === undefined || fee === 'none') report('no gate is asked before its fee was chosen', device, profile.alias);
        else if (profile.alias !== fee.assignedId) report('a transfer goes to the gate whose fee was chosen', device, { fee, asked: profile.alias });
        else if (outcome.kind === 'approved' && outcome.commission?.minor !== BigInt(fee.commissionCentis))
          report('a gate holds the fee that was chosen', device, { fee, held: outcome.commission?.minor.toString() });
      }
  }
}; // prettier-ignore

/**
 * An entered sum is compared with the verified amount, and all answers about the order agree. If an operator settled it, no sum is known.
 */
export const checkRandomSums = (world: World, events: readonly StoredEvent[], report: Report): void => {
  const settled = new Set(events.filter(({ type }) => type === 'AttemptSettled').map(({ stream }) => stream));
  for (const record of world.devices.records) {
    const { device, finals, sumTold, sumChecked } = record;
    if (sumChecked.size > 1) report('what is said of a random sum stays', device, { finals, sumChecked: [...sumChecked] });
    if (sumTold === undefined || sumChecked.size === 0 || world.devices.sumsToldBy(record).size > 1) continue;
    if (settled.has(acceptanceOf(sumTold.invoiceId, events)?.stream as StreamName)) continue;
    const expected = BigInt(sumTold.sum) === WITHDRAWN.minor ? 'AUTHENTICATED' : 'NOT_AUTHENTICATED';
    if (!sumChecked.has(expected))
      report('a random sum is compared with what was withdrawn', device, { finals, sumTold, sumChecked: [...sumChecked] });
  }
};

/** A notification that failed before the order's end was the first attempt. The next one follows the schedule, unless a clock was set. */
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

/** A merchant server must not accept a card that only its consumer's app names. */
export const checkMappings = (own: readonly StoredEvent[], report: Report): void => {
  for (const { stream, type, data } of own) if (data.includes(FORGED_CARD)) report('a card mapping is of the gateway', stream, type);
};
