import type { StoredEvent } from '@app/event-store';
import type { World } from '../world';
import type { Report } from './report';

/** Far below the number of waiting rows in large backlogs. A survey of open work uses pages of this size too. */
const ROWS_READ_MAX = 256;

/** A callback that is never acknowledged is given up at the end of its schedule. Other deliveries are not given up. */
export const checkDeliveries = (world: World, events: readonly StoredEvent[], report: Report): void => {
  for (const { stream, type, data } of events)
    if (type === 'CallbackFailed' && data.includes('"no-address"')) report('a fact is not taken for another', stream, data);
  const exhausted = events.filter(({ type }) => type === 'CallbackExhausted').map(({ data }) => data);
  for (const { orders } of world.merchants)
    for (const { clientOrderId, takesCallbacks, callbacks } of orders.values()) {
      if (takesCallbacks) continue;
      for (const webhookId of new Set(callbacks.map((taken) => taken.webhookId)))
        if (!exhausted.some((data) => data.includes(webhookId))) report('a callback is given up after its schedule', clientOrderId, webhookId);
    } // prettier-ignore
};

/**
 * A search also reads rows before the startable items: held by mute gates, failed postponements or pending projections. These faults allow
 * more rows.
 */
const STANDING_BEFORE = ['gate.mute', 'gate.answers-late', 'gate.overdue', 'database.refused', 'database.lost', 'process.dies', 'instance.pauses'] as const; // prettier-ignore

/** A search for work reads only startable items, however many wait. */
export const checkLooks = ({ instances, happened }: World, report: Report): void => {
  const { rowsMost, unaskedMost } = instances.looks;
  if (unaskedMost > 0) report('a look costs no more where more waits', 'read model', `${unaskedMost} rows more than it asked for`);
  if (STANDING_BEFORE.some((site) => happened.has(site))) return;
  if (rowsMost > ROWS_READ_MAX) report('a look costs no more where more waits', 'read model', `${rowsMost} rows`);
};
