import type { LogEvent } from '../engine/log-event';

interface Mentioning {
  readonly actionId?: unknown;
  readonly queryId?: unknown;
  readonly revealed?: unknown;
  readonly target?: unknown;
  readonly order?: { readonly orderId?: unknown };
  readonly orderStream?: unknown;
}

const collectIf = (value: unknown, collect: (name: string) => void): void => {
  if (typeof value === 'string' && value !== '') collect(value);
};

/** A separate name for queries about a subject, so that many queries cannot hide its changes. */
export const askedAbout = (name: string): string => `asked:${name}`;

/**
 * An operator's query that revealed nothing sealed and changed nothing.
 * @param data of the event
 */
export const isMereQuestion = (data: object): boolean => {
  const { queryId, revealed } = data as Mentioning;
  return queryId !== undefined && revealed === undefined;
};

/**
 * Collects the subjects of an operator, reconciliation or approval event. A mere query is collected under a separate name. Reads members
 * instead of event types, so that new event types are covered.
 */
export const collectMentions = ({ event }: Pick<LogEvent, 'event'>, collect: (name: string) => void): void => {
  const { actionId, target, order, orderStream } = event.data as Mentioning;
  if (orderStream !== undefined) collectIf(orderStream, collect);
  else if (target !== undefined) collectIf(target, (name) => collect(isMereQuestion(event.data) ? askedAbout(name) : name));
  else if (actionId !== undefined) collectIf(actionId, collect);
  if (order !== undefined) collectIf(order.orderId, collect);
};
