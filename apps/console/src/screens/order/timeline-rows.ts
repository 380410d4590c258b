import { eventWords, type EventWords, type TrailEvent } from '@app/investigation/words';
import type { Schemas } from '../../port';
import type { Tone } from '../../ui/badge';
import type { Lane } from './order.search';

/** Event data as the catalogue describes them; the port's document does not describe each event. */
export type TrailEntry = Omit<Schemas['TrailEntry'], 'data'> & { readonly data: object | null };

const LANE_OF_CATEGORY: Readonly<Record<string, Lane>> = {
  delivery: 'callbacks',
  cardReference: 'card',
  operator: 'operator',
  approval: 'operator',
  reconciliation: 'operator',
  erasure: 'operator',
};

/** Events of an order's own stream that a gate, or a call to it, is the source of. */
const OF_A_GATE =
  /^(Attempt(Started|Approved|Declined|Taken|Unknown|NotAsked)|FollowUp(Started|Approved|Declined|Unknown|Failed)|Late|GateFee|Commission|PayerChallenged|ReversalReported|ChargebackReceived|RepresentmentReported|FraudWarningReceived|ReportSetAside)/;
/** Of its own stream, decided by a person. */
const OF_AN_OPERATOR = /^(AttemptSettled|FollowUpSettled|OutcomeReconciled|FollowUpReconciled)$/;

export const laneOf = ({ category, type }: Pick<TrailEntry, 'category' | 'type'>): Lane =>
  LANE_OF_CATEGORY[category] ?? (OF_A_GATE.test(type) ? 'gate' : OF_AN_OPERATOR.test(type) ? 'operator' : 'order');

export const TONES: Readonly<Record<EventWords['tone'], Tone>> = { plain: 'calm', strong: 'info', good: 'ok', bad: 'bad', waiting: 'warn' };

const capital = ({ title, facts, tone }: EventWords): EventWords => ({
  title: title.charAt(0).toUpperCase() + title.slice(1),
  facts,
  tone,
});

/** What an entry says. An event that this release cannot read is named by its type. */
export const wordsOf = ({ type, data, problem }: Pick<TrailEntry, 'data' | 'problem' | 'type'>): EventWords => {
  if (data === null) return { title: type, facts: [problem ?? 'this release cannot read it'], tone: 'bad' };
  try {
    return capital(eventWords({ type, data } as TrailEvent));
  } catch {
    return { title: type, facts: ['this console has no words for it'], tone: 'plain' };
  }
};

export interface EntryRow {
  readonly kind: 'entry';
  readonly entry: TrailEntry;
  readonly lane: Lane;
  readonly words: EventWords;
  /** An operator looked, and nothing was revealed. */
  readonly isMereQuery: boolean;
  /** Since the row before; undefined for the first row. */
  readonly sinceMs: number | undefined;
}

export type TimelineRow =
  | EntryRow
  /** Precedes the first entry of a day. `at` is the time of that entry. */
  | { readonly kind: 'day'; readonly at: string; readonly key: string }
  | { readonly kind: 'gap'; readonly ms: number; readonly key: string };

/** A longer silence is one row, so that the eye sees where something happened. */
const GAP_MS = 60_000;

const isAbout = ({ words, entry, lane }: EntryRow, wanted: readonly string[]): boolean => {
  if (wanted.length === 0) return true;
  const text = `${words.title} ${words.facts.join(' ')} ${entry.type} ${entry.actor} ${lane}`.toLowerCase();
  return wanted.every((word) => text.includes(word));
};

const isMereQuery = ({ type, data }: TrailEntry): boolean =>
  type === 'OperatorQueryAnswered' && data !== null && (data as { readonly revealed?: object }).revealed === undefined;

/** Each entry in words. Made once for a trail. */
export const entryRows = (trail: readonly TrailEntry[]): readonly EntryRow[] =>
  trail.map((entry) => ({
    kind: 'entry',
    entry,
    lane: laneOf(entry),
    words: wordsOf(entry),
    isMereQuery: isMereQuery(entry),
    sinceMs: undefined,
  }));

interface Filters {
  readonly without?: readonly Lane[] | undefined;
  readonly words?: string | undefined;
  /** Also mere queries. */
  readonly queries?: boolean | undefined;
}

/**
 * The rows that pass the filters, with days and gaps of time between them.
 * @param dayOf the day of a time in the zone that the reader chose
 */
export const timelineRows = (
  entries: readonly EntryRow[],
  { without = [], words = '', queries = false }: Filters,
  dayOf: (at: string) => string,
): readonly TimelineRow[] => {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const rows: TimelineRow[] = [];
  let before: number | undefined;
  let day: string | undefined;
  for (const row of entries) {
    if (without.includes(row.lane) || (row.isMereQuery && !queries) || !isAbout(row, wanted)) continue;
    const { at, number } = row.entry;
    const atMs = Date.parse(at);
    const sinceMs = before === undefined ? undefined : atMs - before;
    if (sinceMs !== undefined && sinceMs >= GAP_MS) rows.push({ kind: 'gap', ms: sinceMs, key: `gap ${number}` });
    const ownDay = dayOf(at);
    if (ownDay !== day) rows.push({ kind: 'day', at, key: `day ${number}` });
    rows.push({ ...row, sinceMs });
    before = atMs;
    day = ownDay;
  }
  return rows;
};
