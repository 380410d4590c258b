import type { LinkProps } from '@tanstack/react-router';
import { count, duration, plural } from '../format';
import type { Schemas } from '../port';

type Alert = Schemas['OverviewAlert'];
type Delivery = Schemas['ListedDelivery'];

interface AlertWords {
  readonly title: string;
  readonly detail: (value: number) => string;
  readonly link: LinkProps;
}

/** What each alert means, in words, and the screen on which one acts. */
export const ALERT_WORDS: Readonly<Record<Alert['name'], AlertWords>> = {
  ChainBroken: {
    title: 'The record of a stream was changed',
    detail: (value) => `${plural(value, 'stream')} with a broken hash chain`,
    link: { to: '/queues', search: { queue: 'parked' } },
  },
  LogNotAsWritten: {
    title: 'The log is not what was signed',
    detail: () => 'Verification fails',
    link: { to: '/log' },
  },
  GateCircuitOpen: {
    title: 'New orders avoid a gate',
    detail: (value) => `${plural(value, 'circuit')} open`,
    link: { to: '/gates' },
  },
  OutcomeUnknownForLong: {
    title: 'An outcome is unknown for long',
    detail: (value) => `The oldest for ${duration(value)}`,
    link: { to: '/queues', search: { queue: 'unknown' } },
  },
  OutcomesUnknown: {
    title: 'Many outcomes are unknown',
    detail: (value) => plural(value, 'order'),
    link: { to: '/queues', search: { queue: 'unknown' } },
  },
  CallbacksWait: {
    title: 'A callback waits for long',
    detail: (value) => `The oldest for ${duration(value)}`,
    link: { to: '/queues', search: { queue: 'callbacks' } },
  },
  ReconciliationCasesWait: {
    title: 'A reconciliation case waits for long',
    detail: (value) => `The oldest for ${duration(value)}`,
    link: { to: '/queues', search: { queue: 'cases' } },
  },
  StreamsParked: {
    title: 'Streams are parked',
    detail: (value) => `${plural(value, 'stream')} missing in the lists`,
    link: { to: '/queues', search: { queue: 'parked' } },
  },
  ReadModelsBehind: {
    title: 'The lists are behind the log',
    detail: (value) => `By ${duration(value)}`,
    link: { to: '/queues', search: { queue: 'parked' } },
  },
  LogNotSigned: {
    title: 'New events are not signed',
    detail: (value) => `For ${duration(value)}`,
    link: { to: '/log' },
  },
};

export interface FailingCallbacks {
  readonly merchant: string;
  readonly reason: string;
  readonly count: number;
  readonly exhausted: number;
  /** ISO 8601, the first attempt of the oldest. */
  readonly since: string;
}

/** Failed callbacks by merchant and reason, the largest group first. */
export const failingByReason = (deliveries: readonly Delivery[]): readonly FailingCallbacks[] => {
  const groups = new Map<string, FailingCallbacks>();
  for (const { merchant, lastResult, status, firstAttemptAt } of deliveries) {
    const reason = lastResult ?? 'no attempt yet';
    const key = `${merchant}\n${reason}`;
    const before = groups.get(key) ?? { merchant, reason, count: 0, exhausted: 0, since: firstAttemptAt };
    groups.set(key, {
      ...before,
      count: before.count + 1,
      exhausted: before.exhausted + (status === 'exhausted' ? 1 : 0),
      since: firstAttemptAt < before.since ? firstAttemptAt : before.since,
    });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || (a.since < b.since ? -1 : 1));
};

interface Minute {
  readonly at: string;
  readonly values: Readonly<Record<string, number>>;
}

/** The orders that ended in each minute, with the unknown and pending calls of all gates, the oldest minute first. */
export const outcomesByMinute = (
  orders: readonly Schemas['OrderMinute'][],
  calls: readonly Pick<Schemas['CallMinute'], 'at' | 'pending' | 'unknown'>[],
): readonly Minute[] => {
  const minutes = new Map<string, Minute>(orders.map(({ at, ...values }) => [at, { at, values }]));
  for (const { at, unknown, pending } of calls) {
    if (unknown + pending === 0) continue;
    const { values = {} } = minutes.get(at) ?? {};
    const sums = { unknown: (values['unknown'] ?? 0) + unknown, pending: (values['pending'] ?? 0) + pending };
    minutes.set(at, { at, values: { ...values, ...sums } });
  }
  return [...minutes.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
};

/** `12`, or `10,000+` if there are at least so many. */
export const countOf = ({ count: value, isAtLeast }: Pick<Schemas['OverviewCount'], 'count' | 'isAtLeast'>): string =>
  `${count(value)}${isAtLeast === true ? '+' : ''}`;
