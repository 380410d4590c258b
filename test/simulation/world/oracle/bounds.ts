import type { StoredEvent } from '@app/event-store';
import type { World } from '../world';
import type { Report } from './report';

/** Far fewer than wait where many do; a survey of all open work takes its pages of this size too. */
const ROWS_READ_MAX = 256;

/** What a merchant never acknowledges is given up at the end of its schedule, and nothing is said about a delivery that is not so. */
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
 * A look reads what stands before the items that may begin: those that a silent gate or an unanswered postponement holds, and those that are done and that
 * the projection has not folded yet. Where these are many, so are its rows.
 */
const STANDING_BEFORE = ['gate.mute', 'gate.answers-late', 'gate.overdue', 'database.refused', 'database.lost', 'process.dies', 'instance.pauses'] as const; // prettier-ignore

/** Who looks for work reads what it may begin, however much waits. */
export const checkLooks = ({ instances, happened }: World, report: Report): void => {
  const { rowsMost, unaskedMost } = instances.looks;
  if (unaskedMost > 0) report('a look costs no more where more waits', 'read model', `${unaskedMost} rows more than it asked for`);
  if (STANDING_BEFORE.some((site) => happened.has(site))) return;
  if (rowsMost > ROWS_READ_MAX) report('a look costs no more where more waits', 'read model', `${rowsMost} rows`);
};
