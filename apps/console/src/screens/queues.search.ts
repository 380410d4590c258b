import { flagOf, textOf, wordOf, type RawSearch } from '../app/search';

const QUEUES = ['unknown', 'callbacks', 'disputes', 'cases', 'parked'] as const;
export type Queue = (typeof QUEUES)[number];

export const DELIVERY_STATES = ['failed', 'waiting', 'exhausted'] as const;
export const TARGETS = ['callback', 'notify', 'notification'] as const;
export const CASE_KINDS = ['different', 'missing-here', 'missing-there', 'duplicate'] as const;

export interface QueuesSearch {
  /** Absent: `unknown`. */
  readonly queue?: Queue | undefined;
  readonly merchant?: string | undefined;
  /** Of callbacks. Absent: `failed`. */
  readonly state?: (typeof DELIVERY_STATES)[number] | undefined;
  readonly target?: (typeof TARGETS)[number] | undefined;
  readonly gate?: string | undefined;
  readonly kind?: (typeof CASE_KINDS)[number] | undefined;
  /** ISO 8601: callbacks first sent, cases opened, disputes due since then. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** The moment of the list of unknown outcomes, ISO 8601. Absent: now. */
  readonly at?: string | undefined;
  /** Disputes that are won or lost, cases that are closed. */
  readonly over?: true | undefined;
  /** The case whose sides are open. */
  readonly case?: string | undefined;
}

/** A time of an address as ISO 8601; undefined if it is none. */
const timeOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  const ms = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
};

export const queuesSearch = (search: RawSearch): QueuesSearch => ({
  queue: wordOf(QUEUES, search['queue']),
  merchant: textOf(search['merchant']),
  state: wordOf(DELIVERY_STATES, search['state']),
  target: wordOf(TARGETS, search['target']),
  gate: textOf(search['gate']),
  kind: wordOf(CASE_KINDS, search['kind']),
  since: timeOf(search['since']),
  until: timeOf(search['until']),
  at: timeOf(search['at']),
  over: flagOf(search['over']),
  case: textOf(search['case']),
});

type Filters = Omit<QueuesSearch, 'case' | 'queue'>;

/** The filters that a queue knows. Those of another queue stay out of its address and its questions. */
const FILTERS: Readonly<Record<Queue, readonly (keyof Filters)[]>> = {
  unknown: ['merchant', 'at'],
  callbacks: ['merchant', 'state', 'target', 'since', 'until'],
  disputes: ['merchant', 'over'],
  cases: ['gate', 'kind', 'since', 'until', 'over'],
  parked: [],
};

export const filtersOf = (queue: Queue, search: QueuesSearch): Filters =>
  Object.fromEntries(FILTERS[queue].flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])));

/** The value of an `<input type="datetime-local">` in UTC, to the minute. */
export const inputOfTime = (iso: string | undefined): string => iso?.slice(0, 16) ?? '';
export const timeOfInput = (value: string): string | undefined => timeOf(value === '' ? undefined : `${value}Z`);
