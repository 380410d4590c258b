import type { LogEvent } from '../../engine/log-event';

interface Mentioning {
  readonly actionId?: unknown;
  readonly target?: unknown;
  readonly order?: { readonly orderId?: unknown };
}

const collectIf = (value: unknown, collect: (name: string) => void): void => {
  if (typeof value === 'string' && value !== '') collect(value);
};

/**
 * Collects what an event of an operator, or of a case of reconciliation, speaks of: the order, delivery, case, stream or gate that was acted on or asked
 * about; the order of a case; and, of an action's end, the action. It looks at members instead of event types, so that a new event with a target is found
 * without a change here.
 */
export const collectMentions = ({ event }: Pick<LogEvent, 'event'>, collect: (name: string) => void): void => {
  const { actionId, target, order } = event.data as Mentioning;
  if (target !== undefined) collectIf(target, collect);
  else if (actionId !== undefined) collectIf(actionId, collect);
  if (order !== undefined) collectIf(order.orderId, collect);
};
