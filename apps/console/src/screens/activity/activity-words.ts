import { present } from '@app/kernel/values/present';
import type { Schemas } from '../../port';
import type { Tone } from '../../ui/badge';
import { instant, type Zone } from '../../format';
import type { Chip } from '../../ui/parts';
import type { ACTIVITY_KINDS, ActivityFilters } from '../activity.search';

type Entry = Schemas['ActivityShown'];

export const KIND_WORDS: Readonly<Record<(typeof ACTIVITY_KINDS)[number], string>> = {
  all: 'All, with queries',
  action: 'Action',
  reveal: 'Reveal',
  query: 'Query',
  refusal: 'Refusal',
  session: 'Session',
  configuration: 'Configuration',
};

const NAMES: Readonly<Record<string, string>> = {
  'act-alone': 'Acted alone, without a second person',
  'settle-unknown': 'Resolve an unknown outcome',
  'return-order': 'Refund',
  'start-what-if': 'Start a what-if',
  'inquire-gate': 'Inquire outcomes at a gate',
  'order-as-of': 'Order at a moment',
  'order-why': 'Why of a field',
  'order-steps': 'States of an order',
  'unknown-as-of': 'Unknown outcomes at a time',
  'read-feed': 'Follow the feed',
  'configuration-in-force': 'Configuration at a time',
  host: 'Unknown address of the service',
  'browser-page': 'Request of a foreign page',
  credentials: 'No valid token',
  role: 'Role does not allow it',
  ConfigurationTookEffect: 'Configuration took effect',
};

/** `place-hold` is "Place hold", `SessionBegan` is "Session began". */
export const nameText = (name: string): string => {
  const words = name
    .replaceAll('-', ' ')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return NAMES[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
};

const OUTCOMES: Readonly<Record<string, readonly [tone: Tone, word: string]>> = {
  done: ['ok', 'Done'],
  refused: ['warn', 'Refused'],
  failed: ['bad', 'Failed'],
  unknown: ['unknown', 'Unknown'],
};

/** How an action ended. Undefined for entries without an end. */
export const outcomeOf = ({ kind, outcome }: Pick<Entry, 'kind' | 'outcome'>): readonly [tone: Tone, word: string] | undefined => {
  if (outcome !== null) return OUTCOMES[outcome] ?? ['calm', outcome];
  return kind === 'action' ? ['info', 'End not recorded'] : undefined;
};

/** How much an entry is about: rows of an answer, or refusals. */
export const countText = ({ kind, count }: Pick<Entry, 'count' | 'kind'>): string | undefined => {
  if (count === null) return undefined;
  if (kind === 'refusal') return count === 1 ? 'once' : `${count} times`;
  return count === 1 ? '1 row' : `${count} rows`;
};

const ORDER_ID = /^\d{6,20}$/;
/** True if the target is an order, which has a page. */
export const isOrderTarget = (target: string): boolean => ORDER_ID.test(target);

/** The filters as the port takes them. Queries are many, so that without a kind they are left out. */
export const queryOf = ({ kind, ...filters }: ActivityFilters) => ({
  ...present(filters),
  ...(kind === undefined ? { without: 'query' as const } : kind === 'all' ? {} : { kind }),
});

/** The filters in force as chips. */
export const activityChips = (filters: ActivityFilters, zone: Zone): readonly Chip[] => {
  const { person, kind, name, target, since, until } = filters;
  const time = (iso: string): string => instant(iso, zone === 'local' ? 'local' : 'utc');
  const chips: readonly (Chip | undefined)[] = [
    person === undefined ? undefined : { key: 'person', label: 'Person', value: person },
    kind === undefined || kind === 'all' ? undefined : { key: 'kind', label: 'Kind', value: KIND_WORDS[kind] },
    name === undefined ? undefined : { key: 'name', label: 'Name', value: name },
    target === undefined ? undefined : { key: 'target', label: 'About', value: target },
    since === undefined ? undefined : { key: 'since', label: 'Since', value: time(since) },
    until === undefined ? undefined : { key: 'until', label: 'Until', value: time(until) },
  ];
  return chips.filter((chip) => chip !== undefined);
};

/** Faults of filters that a person wrote, by the field to mend. The port checks again. */
export const activityFaults = ({
  person,
  name,
  target,
  since,
  until,
}: ActivityFilters): Partial<Record<keyof ActivityFilters, string>> => ({
  ...(person !== undefined && !/^[A-Za-z][A-Za-z0-9._@-]{0,63}$/.test(person) && { person: 'The name of an operator.' }),
  ...(name !== undefined && !/^[A-Za-z][A-Za-z-]{0,63}$/.test(name) && { name: 'As in the list, such as return-order.' }),
  ...(target !== undefined && !/^[\x21-\x7e]{1,128}$/.test(target) && { target: 'An identifier without blanks.' }),
  ...(since !== undefined && until !== undefined && Date.parse(since) > Date.parse(until) && { until: 'It is before the other end.' }),
});

/** The configuration just before one took effect. */
export const justBefore = (iso: string): string => new Date(Date.parse(iso) - 1).toISOString();
