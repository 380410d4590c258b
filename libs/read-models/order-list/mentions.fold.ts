import type { LogEvent } from '../engine/log-event';

interface Mentioning {
  readonly actionId?: unknown;
  readonly queryId?: unknown;
  readonly revealed?: unknown;
  readonly target?: unknown;
  readonly order?: { readonly orderId?: unknown };
}

const collectIf = (value: unknown, collect: (name: string) => void): void => {
  if (typeof value === 'string' && value !== '') collect(value);
};

/** The name under which questions about something are found: apart from what happened to it, which no number of them may hide. */
export const askedAbout = (name: string): string => `asked:${name}`;

/** Whether an event of an operator is a question that showed nothing sealed: nothing happened by it. @param data of the event */
export const isMereQuestion = (data: object): boolean => {
  const { queryId, revealed } = data as Mentioning;
  return queryId !== undefined && revealed === undefined;
};

/**
 * Collects what an event of an operator, or of a case of reconciliation, speaks of: the order, delivery, case, stream or gate that was acted on or asked
 * about; the order of a case; and, of an action's end, the action. A question that showed nothing sealed is collected by another name. It looks at members instead of event types, so that a new event with a target is found
 * without a change here.
 */
export const collectMentions = ({ event }: Pick<LogEvent, 'event'>, collect: (name: string) => void): void => {
  const { actionId, target, order } = event.data as Mentioning;
  if (target !== undefined) collectIf(target, (name) => collect(isMereQuestion(event.data) ? askedAbout(name) : name));
  else if (actionId !== undefined) collectIf(actionId, collect);
  if (order !== undefined) collectIf(order.orderId, collect);
};
